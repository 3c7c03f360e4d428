#include "tests/e2e/platform.hpp"
#include "tests/support/aged_rows.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/metrics_page.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

void make_older(platform& here, int days, const std::string& type) {
  for (const auto& one :
       testing::make_older(days, fmt::format("type = '{}'", type)))
    here.sql(one);
}

std::string events_of(platform& here, const std::string& type) {
  return here.sql(fmt::format(
      "select count(*) from postrider.event where type = '{}'", type));
}

std::string days_of(platform& here, int days) {
  return here.sql(fmt::format(
      "select count(to_regclass('postrider.event_' || to_char(now() at time "
      "zone 'UTC' - interval '{} days', 'YYYYMMDD')))",
      days));
}

std::vector<sample> metrics_of(const node_process& node) {
  return read_metrics(exchange(node.admin_port(), "GET /metrics HTTP/1.1\r\n"
                                                  "Host: test\r\n"
                                                  "Connection: close\r\n\r\n")
                          .value()
                          .body);
}

const std::map<std::string, std::string> of_events{{"table", "event"}};

// What has ended goes by its age; what has not stays however old it is, and is
// delivered as it came.
TEST(RetentionOfANode, DropsWhatIsDoneWithAndNothingElse) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  auto& before = here.start();
  here.tenant();
  here.endpoint(shop.url("/done"), "a.done");
  const auto held = here.endpoint(shop.url("/held"), "a.held");
  here.call("POST", "/v1/endpoints/" + held + "/pause", "{}");
  here.send("a.done", "1", R"("id":"old")");
  here.send("a.held", R"({"kept": "as it came"})");
  ASSERT_TRUE(shop.wait_for(1));
  ASSERT_TRUE(eventually([&] {
    return here.sql("select string_agg(state, '') from postrider.delivery")
           == "held";
  }));
  before.signal(SIGTERM);
  before.wait();
  make_older(here, 40, "a.done");
  make_older(here, 50, "a.held");
  here.sql("update postrider.event_key set created_at = now() - '31 days'"
           "::interval");

  auto& node = here.start({{"RETENTION__EVERY", "1s"}});
  here.send("a.done", "2");
  EXPECT_TRUE(eventually([&] { return days_of(here, 40) == "0"; }, 30s))
      << node.log();
  EXPECT_EQ(events_of(here, "a.done"), "1");
  EXPECT_TRUE(eventually([&] {
    return here.sql("select count(*) from postrider.event_key") == "0";
  }));
  EXPECT_NE(node.log().find("keeps the events of"), std::string::npos);
  EXPECT_EQ(days_of(here, 50), "1");

  here.call("POST", "/v1/endpoints/" + held + "/resume", "{}");
  ASSERT_TRUE(shop.wait_for(3));
  EXPECT_EQ(shop.arrivals().back().body, R"({"kept": "as it came"})");
  EXPECT_TRUE(eventually([&] { return days_of(here, 50) == "0"; }, 30s))
      << node.log();
  // It is counted a moment after it is gone.
  EXPECT_TRUE(eventually([&] {
    const auto page = metrics_of(node);
    return sum_of(page, "postrider_retention_drops_total", of_events) == 2
           && sum_of(page, "postrider_retention_overdue_seconds", of_events)
                  == 0
           && sum_of(page, "postrider_retention_dropped_keys_total") == 1;
  })) << node.log();
  EXPECT_EQ(sum_of(metrics_of(node), "postrider_retention_failures_total"), 0);
}

} // namespace
} // namespace postrider::testing
