#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// A first attempt of every seventh event fails.
bool fails(const arrival& got) {
  return got.find("X-Postrider-Attempt") == "0" && std::stoi(got.body) % 7 == 0;
}

/// Cuts one connection of the engine, whichever it is.
void cut_one(const platform& here) {
  here.sql("select pg_terminate_backend(pid) from pg_stat_activity "
           "where datname = current_database() "
           "and application_name like 'postrider%' order by random() limit 1");
}

// B-02: a cut connection is our own matter: nothing lost, nothing doubled, and
// no attempt counts as a failure of the receiver that was none.
TEST(Supervision, ANodeGoesOnWhenItsConnectionsAreCutAtRandom) {
  constexpr int cuts = 60;
  receiver shop{
      [](const arrival& got) { return answer(fails(got) ? 503 : 204); }};
  platform here;
  auto& node = here.start();
  here.tenant();
  for (int i = 0; i < 4; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "*",
                  R"("retry":"50ms 50ms 50ms")");
  std::atomic<bool> stop{false};
  int sent = 0;
  std::thread producer{[&] {
    for (; !stop; ++sent) {
      const auto body = fmt::format("{{\"tenant\":\"acme\",\"type\":\"a.b\","
                                    "\"id\":\"e{0}\",\"payload\":{0}}}",
                                    sent);
      const bool stored = eventually(
          [&] {
            const auto got = here.call(node, "POST", "/v1/events", body);
            return got.status == 201 || got.status == 200;
          },
          60s);
      if (!stored)
        return;
    }
  }};
  for (int i = 0; i < cuts; ++i) {
    cut_one(here);
    const auto had = shop.arrivals().size();
    EXPECT_TRUE(shop.wait_for(had + 8, 30s)) << node.log();
  }
  stop = true;
  producer.join();
  ASSERT_TRUE(here.settled()) << node.log();
  std::map<std::string, int> first;
  std::size_t failed = 0;
  for (const auto& one : shop.arrivals()) {
    if (one.find("X-Postrider-Attempt") == "0")
      ++first[one.target + " " + one.body];
    failed += fails(one);
  }
  EXPECT_EQ(first.size(), 4u * static_cast<std::size_t>(sent));
  for (const auto& [what, times] : first)
    EXPECT_EQ(times, 1) << what;
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt "
                     "where outcome = 'failed'"),
            fmt::format("{}", failed));
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final "
                     "and outcome = 'succeeded'"),
            fmt::format("{}", 4 * sent));
}

// S3.40, S3.41, S3.44, S3.45, S3.52, A-04: a node that was stalled past its
// lease wakes up and writes onto nothing; one outcome, one successor.
TEST(Supervision, ALateOwnersOutcomeLandsOnNothing) {
  std::atomic<int> calls{0};
  receiver shop{[&](const arrival&) {
    ++calls;
    return script{{step::kind::pause, "", 400ms},
                  {step::kind::write,
                   "HTTP/1.1 503 No\r\nContent-Length: 0"
                   "\r\n\r\n",
                   {}},
                  {step::kind::keep, "", {}}};
  }};
  platform here;
  const std::map<std::string, std::string> quick{
      {"HTTP__TIMEOUT", "2s"},
      {"HTTP__CONNECT_TIMEOUT", "2s"},
      {"DELIVERY__LEASE", "3s"},
      {"DELIVERY__HEARTBEAT", "500ms"}};
  auto& stalled = here.start(quick);
  here.tenant();
  for (int i = 0; i < 10; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "*", R"("retry":"1h")");
  here.send("a.b", "{}");
  ASSERT_TRUE(shop.wait_for(10));
  stalled.signal(SIGSTOP);
  here.start(quick, false);
  ASSERT_TRUE(shop.wait_for(20)); // the new owner's
  stalled.signal(SIGCONT);
  ASSERT_TRUE(eventually([&] {
    return here.sql("select count(*) from postrider.delivery "
                    "where state = 'retrying' and attempts = 1")
           == "10";
  }));
  // The woken node has written by the time that it says it is ready.
  ASSERT_TRUE(eventually(
      [&] { return here.call(stalled, "READY", "/readyz").status == 200; }));
  EXPECT_EQ(here.sql("select count(*) || ' ' || count(distinct delivery) || "
                     "' ' || max(number) from postrider.attempt"),
            "10 10 0");
  EXPECT_EQ(calls, 20);
  for (const auto& one : sightings(shop))
    EXPECT_EQ(one.attempt, 0);
}

TEST(Supervision, TwoNodesMayMigrateAnEmptyDatabaseAtOnce) {
  platform here{postgres_server::shared().fresh_database()};
  here.start({}, false, {"--migrate"});
  here.start({}, false, {"--migrate"});
  for (const auto& node : here.nodes())
    EXPECT_TRUE(eventually(
        [&] { return here.call(*node, "READY", "/readyz").status == 200; },
        30s))
        << node->log();
  here.tenant();
  receiver shop{[](const arrival&) { return answer(204); }};
  here.endpoint(shop.url());
  here.send("a.b", "{}");
  EXPECT_TRUE(shop.wait_for(1));
}

// A-17: the wrong schema ends the node with a clear message.
TEST(Supervision, ANodeRefusesADatabaseThatNeedsANewerOneOrIsBehind) {
  platform newer;
  newer.sql("insert into postrider.migration (number, name, checksum, least) "
            "values (999, '0999_future', 'x', 999) returning 1");
  auto& refused = newer.start({}, false);
  EXPECT_EQ(refused.wait(15s), 1) << refused.log();
  EXPECT_NE(refused.log().find("0999_future"), std::string::npos)
      << refused.log();
  platform empty{postgres_server::shared().fresh_database()};
  auto& behind = empty.start({}, false);
  EXPECT_EQ(behind.wait(15s), 1) << behind.log();
  EXPECT_NE(behind.log().find("migrate up"), std::string::npos) << behind.log();
}

// A-06: the second signal does not wait for what is in flight.
TEST(Supervision, ASecondSigtermEndsTheNodeAtOnce) {
  receiver shop{[](const arrival&) {
    return script{{step::kind::pause, "", 60s}, {step::kind::close, "", {}}};
  }};
  platform here;
  auto& node = here.start({{"SHUTDOWN__TIMEOUT", "60s"}});
  here.tenant();
  here.endpoint(shop.url(), "*", R"("timeout_seconds":60)");
  here.send("a.b", "{}");
  ASSERT_TRUE(shop.wait_for(1));
  node.signal(SIGTERM);
  ASSERT_TRUE(eventually(
      [&] { return here.call(node, "READY", "/readyz").status == 503; }));
  // New events are refused meanwhile, with a time to come back.
  const auto late = here.call(node, "POST", "/v1/events",
                              R"({"tenant":"acme","type":"a.b","payload":1})");
  EXPECT_EQ(late.status, 503) << late.body;
  EXPECT_FALSE(late.find("Retry-After").empty());
  EXPECT_LT(node.wait(0ms), 0) << "it waits for what is in flight";
  const auto asked = std::chrono::steady_clock::now();
  node.signal(SIGTERM);
  EXPECT_NE(node.wait(20s), -1);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 3s);
  EXPECT_EQ(here.sql("select attempts from postrider.delivery"), "0");
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt"), "0");
}

// Leases can't be renewed for longer than they last: the node stops starting
// work in time, and goes on by itself afterwards.
TEST(Supervision, ANodeThatCantRenewStopsAndComesBackByItself) {
  receiver shop{[](const arrival&) { return answer(204); }};
  postgres_server server;
  platform here{server};
  auto& node = here.start({{"HTTP__TIMEOUT", "2s"},
                           {"HTTP__CONNECT_TIMEOUT", "2s"},
                           {"DELIVERY__LEASE", "3s"},
                           {"DELIVERY__HEARTBEAT", "500ms"}});
  here.tenant();
  here.endpoint(shop.url());
  server.stop_immediate();
  // No longer ready for two reasons, since the leases have run out meanwhile.
  const auto says = [&](const std::string& what) {
    return here.call(node, "READY", "/readyz").body.find(what)
           != std::string::npos;
  };
  EXPECT_TRUE(eventually([&] { return says("does not answer"); }));
  EXPECT_TRUE(eventually([&] { return says("share of the partitions"); }));
  server.start();
  ASSERT_TRUE(eventually(
      [&] { return here.call(node, "READY", "/readyz").status == 200; }, 30s))
      << node.log();
  here.send("a.b", "{}");
  EXPECT_TRUE(shop.wait_for(1));
}

} // namespace
} // namespace postrider::testing
