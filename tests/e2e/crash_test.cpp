#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Answers after a while, so that there is always something in flight.
script slowly(std::chrono::milliseconds wait) {
  return {
      {step::kind::pause, "", wait},
      {step::kind::write, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {}},
      {step::kind::keep, "", {}}};
}

std::map<std::string, std::string> quick_lease() {
  return {{"HTTP__CONNECT_TIMEOUT", "1s"},
          {"HTTP__TIMEOUT", "2s"},
          {"DELIVERY__LEASE", "3s"},
          {"DELIVERY__HEARTBEAT", "500ms"}};
}

std::string batch_of(int from, int count, int streams) {
  std::string out = "[";
  for (int i = from; i < from + count; ++i)
    out += fmt::format("{}{{\"tenant\":\"acme\",\"type\":\"a.b\","
                       "\"ordering_key\":\"s{}\",\"payload\":{}}}",
                       i > from ? "," : "", i % streams, i);
  return out + "]";
}

std::map<std::string, std::vector<sighting>> by_delivery(const receiver& at) {
  std::map<std::string, std::vector<sighting>> out;
  for (const auto& one : sightings(at))
    out[one.id].push_back(one);
  return out;
}

// S1.30, S1.53, S3.1, S4.30, S4.31, A-03, LEASE-06: nothing lost, the other
// node takes over, and what repeats is what was in flight, under its own id.
TEST(Crash, KillingANodeInMidFlightLosesNothingAndAnotherTakesOver) {
  constexpr int events = 400;
  receiver shop{[](const arrival&) { return slowly(30ms); }};
  platform here;
  auto& first = here.start(quick_lease());
  here.tenant();
  for (int i = 0; i < 4; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "*",
                  R"("ordering_key":"event")");
  ASSERT_EQ(
      here.call("POST", "/v1/events/batch", batch_of(0, events, 32)).status,
      200);
  ASSERT_TRUE(shop.wait_for(300));
  first.signal(SIGKILL);
  first.wait();
  const auto killed = std::chrono::steady_clock::now();
  const auto seen = shop.arrivals().size();
  const auto recorded = std::stoul(
      here.sql("select count(*) from postrider.attempt where final"));
  here.start(quick_lease(), false);
  ASSERT_TRUE(shop.wait_for(seen + 1));
  // Lease time and three seconds.
  EXPECT_LT(std::chrono::steady_clock::now() - killed, 6s);
  ASSERT_TRUE(here.settled());
  const auto all = by_delivery(shop);
  EXPECT_EQ(all.size(), 4u * events);
  std::size_t repeated = 0;
  for (const auto& [id, times] : all) {
    EXPECT_LE(times.size(), 2u);
    repeated += times.size() - 1;
    for (const auto& one : times)
      EXPECT_EQ(one.attempt, 0) << "no attempt of it was recorded";
  }
  // At most what had arrived and was not on record.
  EXPECT_LE(repeated, seen - recorded);
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final"),
            fmt::format("{}", 4 * events));
}

// S1.52, A-06: a graceful stop repeats nothing and gives the leases back.
TEST(Crash, StoppingANodeWithSigtermDuplicatesNothing) {
  constexpr int events = 300;
  receiver shop{[](const arrival&) { return slowly(20ms); }};
  platform here;
  auto& first = here.start({{"DELIVERY__LEASE", "30s"}});
  here.tenant();
  for (int i = 0; i < 4; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "*",
                  R"("ordering_key":"event")");
  ASSERT_EQ(
      here.call("POST", "/v1/events/batch", batch_of(0, events, 32)).status,
      200);
  ASSERT_TRUE(shop.wait_for(300));
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 0) << first.log();
  EXPECT_EQ(here.sql("select count(*) from postrider.partition "
                     "where owner is not null"),
            "0");
  const auto seen = shop.arrivals().size();
  EXPECT_LT(seen, 4u * events) << "there is work left for the other node";
  here.start({{"DELIVERY__LEASE", "30s"}});
  ASSERT_TRUE(here.settled());
  const auto all = by_delivery(shop);
  EXPECT_EQ(all.size(), 4u * events);
  for (const auto& [id, times] : all)
    EXPECT_EQ(times.size(), 1u) << id;
  EXPECT_EQ(here.sql("select max(number) from postrider.attempt"), "0");
}

// SIGINT is the same stop; a receiver that never answers can't hold it up past
// its time, and the attempt that was cut off is not counted.
TEST(Crash, AStopPastItsTimeGivesBackWhatIsInFlightUncounted) {
  receiver shop{[](const arrival&) { return slowly(30s); }};
  platform here;
  auto& only = here.start({{"SHUTDOWN__TIMEOUT", "1s"}});
  here.tenant();
  here.endpoint(shop.url());
  here.send("a.b", "{}");
  ASSERT_TRUE(shop.wait_for(1));
  const auto asked = std::chrono::steady_clock::now();
  only.signal(SIGINT);
  EXPECT_NE(only.wait(15s), -1);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 8s);
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt"), "0");
  EXPECT_EQ(here.sql("select attempts from postrider.delivery"), "0");
  EXPECT_EQ(here.sql("select count(*) from postrider.partition "
                     "where owner is not null"),
            "0");
}

} // namespace
} // namespace postrider::testing
