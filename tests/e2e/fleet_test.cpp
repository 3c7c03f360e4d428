#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

std::map<std::string, std::string> quick() {
  return {{"DELIVERY__HEARTBEAT", "300ms"}};
}

// S4.33, S1.46, S3.36: several nodes on one database share the partitions and
// nothing is delivered twice.
TEST(Fleet, ThreeNodesShareThePartitionsAndDeliverOnce) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start(quick());
  here.tenant();
  for (int i = 0; i < 12; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)));
  here.start(quick());
  here.start(quick());
  const auto shares = [&] {
    return here.sql("select string_agg(n::text, ' ' order by n) from (select "
                    "count(*) as n from postrider.partition where owner is "
                    "not null group by owner) as s");
  };
  ASSERT_TRUE(eventually([&] { return shares() == "85 85 86"; }, 30s))
      << shares();
  for (int i = 0; i < 30; ++i)
    here.call(
        *here.nodes()[static_cast<std::size_t>(i % 3)], "POST", "/v1/events",
        fmt::format(R"({{"tenant":"acme","type":"a.b","payload":{}}})", i));
  ASSERT_TRUE(shop.wait_for(30 * 12));
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 30u * 12u);
  EXPECT_GT(std::stoi(here.sql(
                "select count(distinct partition) from postrider.attempt")),
            3)
      << "several nodes had a part in it";
}

// Partitions change hands while work flows: order holds, nothing repeats.
TEST(Fleet, PartitionsChangeHandsWithoutReorderingOrRepeating) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start(quick());
  here.tenant();
  for (int i = 0; i < 16; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)));
  int sent = 0;
  const auto some = [&](int count) {
    for (int i = 0; i < count; ++i)
      here.send("a.b", fmt::format("{}", sent++));
  };
  some(40);
  here.start(quick());
  some(40);
  here.nodes()[0]->signal(SIGTERM);
  EXPECT_EQ(here.nodes()[0]->wait(), 0) << here.nodes()[0]->log();
  some(40);
  here.start(quick());
  some(40);
  ASSERT_TRUE(here.settled());
  std::map<std::string, int> next;
  for (const auto& one : shop.arrivals()) {
    EXPECT_EQ(one.body, fmt::format("{}", next[one.target]++)) << one.target;
    EXPECT_EQ(one.find("X-Postrider-Attempt"), "0");
  }
  for (const auto& [target, count] : next)
    EXPECT_EQ(count, 160) << target;
}

} // namespace
} // namespace postrider::testing
