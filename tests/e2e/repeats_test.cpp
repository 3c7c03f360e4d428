#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <signal.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

const std::string body = R"({"tenant":"acme","type":"a.b","payload":{"n":1}})";

/// Four calls at once; the statuses and the events that they answered with.
struct answers {
  std::multiset<int> statuses;
  std::set<std::string> events;
};

answers four_at_once(platform& here, const std::vector<std::string>& keys) {
  answers out;
  std::mutex mutex;
  std::vector<std::thread> callers;
  const auto& node = *here.nodes()[0];
  for (std::size_t i = 0; i < 4; ++i)
    callers.emplace_back([&, i] {
      std::vector<header> headers;
      if (!keys.empty())
        headers.push_back({"Idempotency-Key", keys[i % keys.size()]});
      const auto got = here.call(node, "POST", "/v1/events", body, headers);
      const std::lock_guard lock{mutex};
      out.statuses.insert(got.status);
      out.events.insert(member(got.body, "id"));
    });
  for (auto& one : callers)
    one.join();
  return out;
}

// LIFE-11: a key says what is the same; the content never does.
TEST(Repeats, AreMergedByTheirKeyOnly) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  const std::multiset<int> four_new{201, 201, 201, 201};
  const auto without = four_at_once(here, {});
  EXPECT_EQ(without.statuses, four_new);
  EXPECT_EQ(without.events.size(), 4u);
  const auto same = four_at_once(here, {"k"});
  EXPECT_EQ(same.statuses, (std::multiset<int>{200, 200, 200, 201}));
  EXPECT_EQ(same.events.size(), 1u);
  const auto own = four_at_once(here, {"k1", "k2", "k3", "k4"});
  EXPECT_EQ(own.statuses, four_new);
  EXPECT_EQ(own.events.size(), 4u);
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 9u);
}

/// The status, 0 when nobody answers.
int post_to(platform& here, const node_process& node, const std::string& key) {
  try {
    return here
        .call(node, "POST", "/v1/events", body, {{"Idempotency-Key", key}})
        .status;
  } catch (const std::runtime_error&) {
    return 0;
  }
}

// ING-11: there is no moment at which a key stands without its event, so that
// whenever the node dies the repeat of the call makes what is missing.
TEST(Repeats, OfACallThatAKilledNodeDidNotAnswerFindOrMakeItsEvent) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  const std::map<std::string, std::string> short_lease{
      {"HTTP__CONNECT_TIMEOUT", "1s"},
      {"HTTP__TIMEOUT", "1s"},
      {"DELIVERY__LEASE", "2s"},
      {"DELIVERY__HEARTBEAT", "500ms"}};
  here.start(short_lease);
  here.tenant();
  here.endpoint(shop.url());
  std::vector<std::string> unanswered;
  for (int round = 0; round < 3; ++round) {
    auto& node = *here.nodes().back();
    std::atomic<int> done{0};
    std::mutex mutex;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&, caller] {
        for (int i = 0; i < 400; ++i) {
          const auto key = fmt::format("{}-{}-{}", round, caller, i);
          if (post_to(here, node, key) != 201) { // it is dead by now
            const std::lock_guard lock{mutex};
            unanswered.push_back(key);
            return;
          }
          ++done;
        }
      });
    EXPECT_TRUE(eventually([&] { return done > 60; }));
    node.signal(SIGKILL);
    for (auto& one : callers)
      one.join();
    EXPECT_EQ(node.wait(), 128 + SIGKILL);
    EXPECT_EQ(here.sql("select count(*) from postrider.event_key as k where "
                       "not exists (select from postrider.event as e "
                       "where e.id = k.event)"),
              "0");
    here.start(short_lease);
  }
  EXPECT_FALSE(unanswered.empty());
  for (const auto& key : unanswered) {
    std::set<std::string> events;
    for (int i = 0; i < 2; ++i) {
      const auto got =
          here.call("POST", "/v1/events", body, {{"Idempotency-Key", key}});
      EXPECT_TRUE(got.status == 201 || got.status == 200) << got.body;
      events.insert(member(got.body, "id"));
    }
    EXPECT_EQ(events.size(), 1u) << key;
  }
  EXPECT_EQ(here.sql("select count(*) = count(distinct key) from "
                     "postrider.event"),
            "t");
  ASSERT_TRUE(here.settled());
}

} // namespace
} // namespace postrider::testing
