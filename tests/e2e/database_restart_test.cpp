#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

// NET-06, B-01, S3.8: what was answered with 201 is there, whatever the
// database did; 503 with Retry-After stands for "not known", and its key makes
// a repeat safe.
TEST(DatabaseRestart, UnderLoadLosesNothing) {
  receiver shop{[](const arrival&) { return answer(200); }};
  postgres_server server;
  platform here{server};
  auto& node = here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("ordering":"none")");
  std::atomic<bool> stop{false};
  std::set<std::string> accepted;
  int refused = 0;
  std::thread producer{[&] {
    for (int i = 0; !stop || i < 200; ++i) {
      const auto body =
          fmt::format("{{\"tenant\":\"acme\",\"type\":\"a.b\",\"id\":\"e{}\","
                      "\"payload\":{}}}",
                      i, i);
      const bool stored = eventually(
          [&] {
            const auto got = here.call(node, "POST", "/v1/events", body);
            if (got.status == 503) {
              ++refused;
              EXPECT_FALSE(got.find("Retry-After").empty());
            }
            return got.status == 201 || got.status == 200;
          },
          60s);
      if (!stored)
        return;
      accepted.insert(fmt::format("{}", i));
    }
  }};
  for (int round = 0; round < 3; ++round) {
    const auto had = shop.arrivals().size();
    ASSERT_TRUE(shop.wait_for(had + 50, 60s)) << node.log();
    server.stop_immediate();
    ASSERT_TRUE(eventually(
        [&] { return here.call(node, "READY", "/readyz").status == 503; }));
    EXPECT_EQ(here.call(node, "READY", "/healthz").status, 200);
    server.start();
  }
  const auto had = shop.arrivals().size();
  ASSERT_TRUE(shop.wait_for(had + 50, 60s)) << node.log();
  stop = true;
  producer.join();
  ASSERT_TRUE(here.settled());
  EXPECT_GT(refused, 0);
  std::set<std::string> arrived;
  for (const auto& one : shop.arrivals())
    arrived.insert(one.body);
  EXPECT_EQ(arrived, accepted);
  EXPECT_EQ(here.sql("select count(*) from postrider.event"),
            fmt::format("{}", accepted.size()));
  ASSERT_TRUE(eventually(
      [&] { return here.call(node, "READY", "/readyz").status == 200; }));
}

// A-17: no database at the start is waited for, and said.
TEST(DatabaseRestart, ANodeWithoutADatabaseWaitsSaysSoAndIsNotReady) {
  postgres_server server;
  platform here{server};
  server.stop_immediate();
  auto& node = here.start({}, false);
  ASSERT_TRUE(eventually([&] {
    return node.log().find("waiting for the database") != std::string::npos;
  }));
  EXPECT_EQ(here.call(node, "READY", "/readyz").status, 503);
  EXPECT_EQ(here.call(node, "READY", "/healthz").status, 200);
  const auto refused =
      here.call(node, "POST", "/v1/events",
                R"({"tenant":"acme","type":"a.b","payload":1})");
  EXPECT_EQ(refused.status, 503);
  EXPECT_FALSE(refused.find("Retry-After").empty());
  server.start();
  EXPECT_TRUE(eventually(
      [&] { return here.call(node, "READY", "/readyz").status == 200; }, 30s))
      << node.log();
}

} // namespace
} // namespace postrider::testing
