#include "tests/e2e/platform.hpp"

#include "core/signature.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

raw_answer retry(platform& here, const std::string& id) {
  return here.call("POST", "/v1/deliveries/" + id + "/retry");
}

std::string state_of(platform& here, const std::string& id) {
  return member(here.call("GET", "/v1/deliveries/" + id).body, "state");
}

// SIG-07: the manual retry is the same delivery, signed afresh.
TEST(ManualRetry, OfAFailedDeliveryGoesOnUnderItsIdAndItsNextNumber) {
  std::atomic<int> status{500};
  receiver shop{[&](const arrival&) { return answer(status); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("retry":"50ms")");
  here.send("a.b", R"({"n":  1})");
  ASSERT_TRUE(here.settled());
  ASSERT_EQ(shop.arrivals().size(), 2u);
  const auto id = shop.arrivals().front().find("webhook-id");
  const auto failed = here.call("GET", "/v1/deliveries/" + id).body;
  EXPECT_EQ(member(failed, "state"), "failed");
  EXPECT_EQ(member(failed, "reason"), "exhausted");
  status = 204;
  EXPECT_EQ(retry(here, id).status, 202);
  ASSERT_TRUE(shop.wait_for(3));
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(state_of(here, id), "succeeded");
  const auto seen = sightings(shop);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[2].id, id);
  EXPECT_EQ(seen[2].attempt, 2);
  EXPECT_EQ(seen[2].sequence, seen[0].sequence);
  EXPECT_EQ(seen[2].body, R"({"n":  1})");
  const auto key = signing_key::parse(here.secret());
  ASSERT_TRUE(key);
  const auto got = shop.arrivals().back();
  EXPECT_TRUE(verify_signature(*key, id, got.find("webhook-timestamp"),
                               got.find("webhook-signature"), got.body,
                               std::chrono::floor<std::chrono::seconds>(
                                   std::chrono::system_clock::now()),
                               60s));
  EXPECT_EQ(here.sql("select string_agg(number || ':' || final, ' ' order by "
                     "number) from postrider.attempt"),
            "0:false 1:true 2:true");
  const auto again = retry(here, id);
  EXPECT_EQ(again.status, 409) << again.body;
  EXPECT_EQ(member(again.body, "code"), "wrong_state");
  EXPECT_EQ(retry(here, "dlv_0000000000000000").status, 404);
}

// It may fail as often again as its policy of manual retries says, and then
// it is failed as before: no loop, nothing forgotten.
TEST(ManualRetry, ThatFailsToTheEndIsFailedAgainAndCanBeRetriedAgain) {
  receiver shop{[](const arrival&) { return answer(500); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("retry":"20ms")");
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  const auto id = shop.arrivals().front().find("webhook-id");
  for (int round = 0; round < 2; ++round) {
    const auto before = shop.arrivals().size();
    ASSERT_EQ(retry(here, id).status, 202);
    ASSERT_TRUE(shop.wait_for(before + 1));
    ASSERT_TRUE(here.settled());
    EXPECT_EQ(state_of(here, id), "failed");
  }
  const auto seen = sightings(shop);
  EXPECT_LE(seen.size(), 2u + 2u * 4u);
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i].attempt, static_cast<int>(i));
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt"),
            fmt::format("{}", seen.size()));
}

// LIFE-08
TEST(ManualRetry, TwiceAtOnceWhileARetryWaitsIsOneArrival) {
  receiver shop{[](const arrival& got) {
    if (got.find("X-Postrider-Attempt") == "0")
      return answer(503);
    return script{{step::kind::pause, "", 500ms},
                  {step::kind::write, "HTTP/1.1 204 No Content\r\n\r\n", {}},
                  {step::kind::keep, "", {}}};
  }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("retry":"5m 5m")");
  here.send("a.b", "{}");
  ASSERT_TRUE(eventually([&] {
    return here.sql("select state from postrider.delivery") == "retrying";
  }));
  const auto id = shop.arrivals().front().find("webhook-id");
  int status[2] = {};
  std::thread one{[&] { status[0] = retry(here, id).status; }};
  std::thread two{[&] { status[1] = retry(here, id).status; }};
  one.join();
  two.join();
  EXPECT_EQ(status[0], 202);
  EXPECT_TRUE(status[1] == 202 || status[1] == 409) << status[1];
  ASSERT_TRUE(here.settled());
  const auto seen = sightings(shop);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].attempt, 1);
  EXPECT_EQ(here.sql("select string_agg(number::text, ' ' order by number) "
                     "from postrider.attempt"),
            "0 1");
}

// Many at once, from both nodes, while the engine works on them.
TEST(ManualRetry, FromEverySideAtOnceSendsEachFailedDeliveryOnce) {
  constexpr int events = 40;
  std::atomic<int> status{400};
  receiver shop{[&](const arrival&) { return answer(status); }};
  platform here;
  here.start();
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("ordering":"none")");
  for (int i = 0; i < events; ++i)
    here.send("a.b", fmt::format("{}", i));
  ASSERT_TRUE(here.settled());
  ASSERT_EQ(shop.arrivals().size(), static_cast<std::size_t>(events));
  status = 200;
  std::vector<std::string> ids;
  for (const auto& one : shop.arrivals())
    ids.push_back(one.find("webhook-id"));
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (const auto& id : ids)
        here.call(*here.nodes()[caller % 2], "POST",
                  "/v1/deliveries/" + id + "/retry");
    });
  for (auto& one : callers)
    one.join();
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 2u * events);
  for (const auto& id : ids)
    EXPECT_EQ(state_of(here, id), "succeeded");
  EXPECT_EQ(here.sql("select count(*) from (select from postrider.attempt "
                     "group by delivery, number having count(*) > 1) as d"),
            "0");
}

} // namespace
} // namespace postrider::testing
