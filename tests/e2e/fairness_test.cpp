#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

std::map<std::string, std::string> small_window() {
  return {{"DELIVERY__WINDOW", "200"}, {"DELIVERY__PER_ENDPOINT", "16"}};
}

/// Publishes `count` events of a type, numbered by their payload.
void publish(const platform& here, const std::string& type, int count,
             const std::string& ordering_key = "null") {
  here.sql(fmt::format(
      "select count(postrider.publish('acme', '{}', i::text, ordering_key => "
      "{})) from generate_series(1, {}) as i",
      type, ordering_key, count));
}

script never_in_time() {
  return {{step::kind::pause, "", 60s}, {step::kind::close, "", {}}};
}

// G9, E-01 in short: a backlog far above its share behind a receiver that never
// answers delays no other endpoint, of its own partition neither; when it
// recovers everything arrives, in order.
TEST(Fairness, ASickEndpointWithABacklogDelaysNobody) {
  constexpr int backlog = 3000;
  std::atomic<bool> sick{true};
  receiver ill{
      [&](const arrival&) { return sick ? never_in_time() : answer(204); }};
  receiver fit{[](const arrival&) { return answer(204); }};
  platform here;
  here.start(small_window());
  here.tenant();
  here.endpoint(ill.url(), "ill.*", R"("retry":"2s","timeout_seconds":1)");
  for (int i = 0; i < 5; ++i)
    here.endpoint(fit.url(fmt::format("/{}", i)), "fit.*");
  here.sql("update postrider.endpoint set partition = 3 returning 1");
  publish(here, "ill.one", backlog);
  ASSERT_TRUE(ill.wait_for(1));
  auto slowest = 0ms;
  for (int round = 1; round <= 20; ++round) {
    const auto sent = std::chrono::steady_clock::now();
    here.send("fit.one", fmt::format("{}", round));
    ASSERT_TRUE(fit.wait_for(static_cast<std::size_t>(round) * 5, 5s)) << round;
    slowest =
        std::max(slowest, std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - sent));
  }
  EXPECT_LT(slowest, 2s);
  sick = false;
  ASSERT_TRUE(here.settled(120s));
  std::set<std::string> arrived;
  int last = 0;
  for (const auto& one : sightings(ill)) {
    arrived.insert(one.body);
    if (one.attempt > 0)
      continue;
    EXPECT_GT(std::stoi(one.body), last);
    last = std::stoi(one.body);
  }
  EXPECT_EQ(arrived.size(), static_cast<std::size_t>(backlog));
}

// The same with an endpoint that has no order, and so many requests open.
TEST(Fairness, ASickEndpointWithoutOrderDelaysNobodyEither) {
  receiver ill{[&](const arrival&) { return never_in_time(); }};
  receiver fit{[](const arrival&) { return answer(204); }};
  platform here;
  here.start(small_window());
  here.tenant();
  here.endpoint(ill.url(), "ill.*",
                R"("ordering":"none","retry":"100ms 100ms 100ms 100ms 100ms",)"
                R"("timeout_seconds":1,"max_in_flight":1000)");
  here.endpoint(fit.url(), "fit.*");
  here.sql("update postrider.endpoint set partition = 3 returning 1");
  publish(here, "ill.one", 3000);
  ASSERT_TRUE(ill.wait_for(8)); // as many as it may have at first
  for (int round = 1; round <= 30; ++round) {
    const auto sent = std::chrono::steady_clock::now();
    here.send("fit.one", "1");
    ASSERT_TRUE(fit.wait_for(static_cast<std::size_t>(round), 5s)) << round;
    EXPECT_LT(std::chrono::steady_clock::now() - sent, 2s);
  }
}

// Nor do many of them: together they never hold the whole window.
TEST(Fairness, ManySickEndpointsTogetherDelayNobodyEither) {
  receiver ill{[&](const arrival&) { return never_in_time(); }};
  receiver fit{[](const arrival&) { return answer(204); }};
  platform here;
  here.start(small_window());
  here.tenant();
  for (int i = 0; i < 30; ++i)
    here.endpoint(ill.url(fmt::format("/{}", i)), "ill.*",
                  R"("retry":"1h","timeout_seconds":30)");
  here.endpoint(fit.url(), "fit.*");
  publish(here, "ill.one", 200);
  ASSERT_TRUE(ill.wait_for(30));
  for (std::size_t round = 1; round <= 20; ++round) {
    const auto sent = std::chrono::steady_clock::now();
    publish(here, "fit.one", 40); // more than a share
    ASSERT_TRUE(fit.wait_for(round * 40, 5s)) << round;
    EXPECT_LT(std::chrono::steady_clock::now() - sent, 2s);
  }
}

// Endpoints with backlogs take turns, whatever their ids.
TEST(Fairness, EndpointsThatAllHaveABacklogAreServedAlike) {
  constexpr int endpoints = 40;
  constexpr int each = 500;
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start(small_window());
  here.tenant();
  for (int i = 0; i < endpoints; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "a.*");
  publish(here, "a.b", each);
  ASSERT_TRUE(here.settled(120s));
  // When the first has got all of its own, the last has got most.
  std::map<std::string, int> had;
  for (const auto& one : shop.arrivals())
    if (++had[one.target] == each)
      break;
  EXPECT_EQ(had.size(), static_cast<std::size_t>(endpoints));
  for (const auto& [target, count] : had)
    EXPECT_GT(count, each / 4) << target;
}

// G1, G2: a large backlog drains completely, and nothing comes twice.
TEST(Fairness, ABacklogOverManyEndpointsDrainsWholeWithNothingDoubled) {
  constexpr int endpoints = 50;
  constexpr int each = 400;
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start(small_window());
  here.tenant();
  for (int i = 0; i < endpoints; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "a.*");
  publish(here, "a.b", each);
  ASSERT_TRUE(here.settled(120s));
  const auto all = shop.arrivals();
  EXPECT_EQ(all.size(), static_cast<std::size_t>(endpoints * each));
  std::map<std::string, int> next;
  for (const auto& one : all)
    EXPECT_EQ(std::stoi(one.body), ++next[one.target]) << one.target;
  EXPECT_EQ(here.sql("select count(*) || ' ' || count(distinct delivery) "
                     "from postrider.attempt where final"),
            fmt::format("{0} {0}", endpoints * each));
}

// S1.24: retries that fall due together all come, however small the shares.
TEST(Fairness, ManyRetriesDueAtOnceAllCome) {
  constexpr int endpoints = 20;
  constexpr int each = 100;
  std::atomic<bool> sick{true};
  receiver shop{[&](const arrival&) { return answer(sick ? 503 : 204); }};
  platform here;
  here.start({{"DELIVERY__WINDOW", "100"},
              {"DELIVERY__PER_ENDPOINT", "4"},
              {"HEALTH__DEGRADED_AFTER", "1000"},
              {"HEALTH__FAILURE_RATIO", "2"}}); // nothing is held
  here.tenant();
  for (int i = 0; i < endpoints; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "a.*", R"("retry":"1h 1h")");
  publish(here, "a.b", each);
  const auto all = fmt::format("{}", endpoints * each);
  ASSERT_TRUE(eventually(
      [&] {
        return here.sql("select count(*) from postrider.delivery "
                        "where state = 'retrying'")
               == all;
      },
      60s));
  sick = false;
  here.sql("update postrider.delivery set due_at = now() - interval '1 s' "
           "returning 1");
  // What comes in now is not held up by what is due.
  const auto sent = std::chrono::steady_clock::now();
  here.endpoint(shop.url("/new"), "new.*");
  here.send("new.one", "0");
  ASSERT_TRUE(eventually([&] {
    const auto seen = shop.arrivals();
    return std::any_of(seen.begin(), seen.end(),
                       [](const auto& one) { return one.target == "/new"; });
  }));
  EXPECT_LT(std::chrono::steady_clock::now() - sent, 2s);
  ASSERT_TRUE(here.settled(60s));
  EXPECT_EQ(shop.arrivals().size(),
            static_cast<std::size_t>(2 * endpoints * each + 1));
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt "
                     "where final and outcome = 'succeeded' and number = 1"),
            all);
}

// A steady flow to one endpoint does not starve the retries of another, nor
// rows that commit late.
TEST(Fairness, ASteadyFlowStarvesNeitherRetriesNorOthers) {
  std::atomic<int> calls{0};
  receiver shop{[&](const arrival& got) {
    return answer(got.target == "/weak" && calls++ == 0 ? 503 : 204);
  }};
  platform here;
  here.start(small_window());
  here.tenant();
  here.endpoint(shop.url("/weak"), "weak.*", R"("retry":"200ms")");
  here.endpoint(shop.url("/busy"), "busy.*", R"("ordering":"none")");
  here.send("weak.one", "{}");
  const auto sent = std::chrono::steady_clock::now();
  int flow = 0;
  ASSERT_TRUE(eventually([&] {
    publish(here, "busy.one", 200);
    flow += 200;
    return calls >= 2;
  }));
  EXPECT_LT(std::chrono::steady_clock::now() - sent, 3s);
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), static_cast<std::size_t>(flow + 2));
}

} // namespace
} // namespace postrider::testing
