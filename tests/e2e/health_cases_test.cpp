// Cases and catalogue rows about sick receivers: LIFE-03, LIFE-05, LIFE-15,
// LOAD-01, TEN-03, LEASE-11; D-01, D-08, D-09, D-13, E-11, H-02 in short.
#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <string>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using settings = std::map<std::string, std::string>;

class HealthCases : public ::testing::Test {
protected:
  void publish(const std::string& type, int from, int to) {
    here_.sql(
        fmt::format("select count(postrider.publish('acme', '{}', i::text)) "
                    "from generate_series({}, {}) as i",
                    type, from, to));
  }

  std::string count(const std::string& what) {
    return here_.sql("select count(*) from postrider." + what);
  }

  std::string operate(const std::string& id, const std::string& what) {
    return here_.call("POST", "/v1/endpoints/" + id + "/" + what, "{}").body;
  }

  std::string health(const std::string& id) {
    return here_.call("GET", "/v1/endpoints/" + id + "/health").body;
  }

  bool state_is(const std::string& wanted) {
    return eventually([&] {
      return here_.sql("select coalesce(max(state), 'healthy') "
                       "from postrider.endpoint_health")
             == wanted;
    });
  }

  platform here_;
};

/// How many requests are being kept waiting, and how many were at most.
class open_count {
public:
  script begin(script how) {
    most_ = std::max(most_.load(), ++open_);
    return how;
  }
  receiver::options options() {
    receiver::options out;
    out.performed = [this](const arrival&, const step& done) {
      if (done.what == step::kind::write)
        --open_;
    };
    return out;
  }
  int now() const { return open_; }
  int most() const { return most_; }
  void forget() { most_ = 0; }

private:
  std::atomic<int> open_{0};
  std::atomic<int> most_{0};
};

script slowly(std::chrono::milliseconds wait) {
  return {{step::kind::pause, "", wait},
          {step::kind::write, "HTTP/1.1 204 No Content\r\n\r\n", {}},
          {step::kind::keep, "", {}}};
}

script hang(std::chrono::milliseconds wait) {
  return {{step::kind::pause, "", wait}, {step::kind::close, "", {}}};
}

// LIFE-03, H-02: nothing begins after the call has returned, what is in flight
// ends and is on record, and the rest is cancelled on record, to the last one.
TEST_F(HealthCases, ADisabledEndpointGetsNothingAndNothingIsLostSilently) {
  std::atomic<bool> slow{true};
  receiver shop{
      [&](const arrival&) { return slow ? slowly(1s) : answer(204); }};
  here_.start();
  here_.tenant();
  const auto id = here_.endpoint(shop.url());
  publish("a.b", 1, 50);
  ASSERT_TRUE(shop.wait_for(1)); // one in flight
  operate(id, "disable");
  ASSERT_TRUE(eventually([&] { return count("delivery") == "0"; }));
  publish("a.b", 51, 70);
  EXPECT_EQ(shop.arrivals().size(), 1U);
  EXPECT_EQ(count("attempt where outcome = 'succeeded'"), "1");
  EXPECT_EQ(count("attempt where final and outcome = 'cancelled' "
                  "and reason = 'endpoint_disabled'"),
            "69");
  const auto told =
      here_.call("GET", "/v1/deliveries?state=cancelled&limit=100").body;
  std::size_t cancelled = 0;
  for (auto at = told.find("endpoint_disabled"); at != std::string::npos;
       at = told.find("endpoint_disabled", at + 1))
    ++cancelled;
  EXPECT_EQ(cancelled, 69U) << told;
  slow = false;
  operate(id, "enable");
  publish("a.b", 71, 71);
  ASSERT_TRUE(shop.wait_for(2));
}

// LIFE-01: what is held for an endpoint that is deleted ends on record soon.
TEST_F(HealthCases, WhatIsHeldForADeletedEndpointIsCancelled) {
  receiver shop{[](const arrival&) { return answer(204); }};
  here_.start();
  here_.tenant();
  const auto id = here_.endpoint(shop.url());
  operate(id, "pause");
  publish("a.b", 1, 20);
  ASSERT_EQ(count("delivery where state = 'held'"), "20");
  EXPECT_EQ(here_.call("DELETE", "/v1/endpoints/" + id).status, 204);
  ASSERT_TRUE(here_.settled(10s));
  EXPECT_EQ(count("attempt where outcome = 'cancelled' "
                  "and reason = 'endpoint_deleted' and not sent"),
            "20");
  EXPECT_TRUE(shop.arrivals().empty());
}

// LIFE-05, LIFE-15: after the operator's word nothing of the past counts.
TEST_F(HealthCases, AnEnabledEndpointStartsWithACleanRecord) {
  std::atomic<int> status{503};
  receiver shop{[&](const arrival&) { return answer(status); }};
  here_.start({{"HEALTH__COOLDOWNS", "1h"}});
  here_.tenant();
  const auto id = here_.endpoint(shop.url(), "*", R"("retry":"20ms 1h")");
  publish("a.b", 1, 5);
  ASSERT_TRUE(state_is("degraded"));
  operate(id, "enable");
  EXPECT_NE(health(id).find("\"healthy\""), std::string::npos) << health(id);
  ASSERT_TRUE(state_is("healthy"));
  // What had failed is still due in an hour; a single failure more is no harm.
  publish("a.b", 6, 6);
  ASSERT_TRUE(eventually(
      [&] { return count("delivery where attempts > 0 and id > 5") == "1"; }));
  status = 204;
  publish("a.b", 7, 25);
  ASSERT_TRUE(eventually([&] {
    return count("attempt where outcome = 'succeeded'") >= "19";
  })) << count("attempt where outcome = 'succeeded'");
  EXPECT_TRUE(state_is("healthy"));
}

// LOAD-01, E-15: while a receiver hangs there is never more than one trial,
// whatever waits and however many nodes there are.
TEST_F(HealthCases, AHangingReceiverHasOneTrialAtATimeWhateverWaits) {
  std::atomic<bool> sick{true};
  receiver shop{[&](const arrival&) { return sick ? hang(60s) : answer(204); }};
  const settings quick{{"HTTP__TIMEOUT", "1s"},
                       {"HTTP__CONNECT_TIMEOUT", "1s"},
                       {"HEALTH__COOLDOWNS", "1s"}};
  here_.start(quick);
  here_.start(quick);
  here_.tenant();
  here_.endpoint(shop.url(), "*", R"("ordering":"none","retry":"1h")");
  publish("a.b", 1, 500);
  ASSERT_TRUE(eventually([&] {
    return count("delivery where state = 'queued'") == "0"
           && count("endpoint_health where state <> 'healthy'") == "1";
  }));
  const auto before = shop.arrivals().size();
  ASSERT_TRUE(shop.wait_for(before + 3, 30s));
  const auto all = shop.arrivals();
  for (auto i = before + 1; i < all.size(); ++i)
    EXPECT_GE(all[i].at - all[i - 1].at, 1s); // after the time-out of the last
  sick = false;
  ASSERT_TRUE(eventually(
      [&] { return count("delivery where state = 'held'") == "0"; }, 60s));
  EXPECT_LE(std::stoi(count("event where tenant = 'postrider'")), 6);
}

// TEN-03: one id in two tenants is two endpoints.
TEST_F(HealthCases, EndpointsOfOneNameInTwoTenantsHaveTheirOwnHealth) {
  receiver ill{[](const arrival&) { return answer(500); }};
  receiver fit{[](const arrival&) { return answer(204); }};
  here_.start({{"HEALTH__COOLDOWNS", "1h"}});
  here_.tenant("acme");
  here_.tenant("beta");
  const auto make = [&](const std::string& tenant, const std::string& url) {
    const auto made =
        here_.call("POST", "/v1/endpoints",
                   fmt::format(R"({{"tenant":"{}","uid":"e-1","url":"{}",)"
                               R"("types":["*"]}})",
                               tenant, url));
    return member(made.body, "id");
  };
  make("acme", ill.url());
  const auto other = make("beta", fit.url());
  publish("a.b", 1, 10);
  here_.sql("select count(postrider.publish('beta', 'a.b', i::text)) "
            "from generate_series(1, 10) i");
  ASSERT_TRUE(state_is("degraded"));
  ASSERT_TRUE(fit.wait_for(10));
  EXPECT_NE(health(other).find("\"healthy\""), std::string::npos);
  EXPECT_EQ(count("endpoint_health"), "1");
}

// LEASE-11: a tenant has no more in flight than it may, whatever its endpoints
// are allowed, and others are not kept waiting.
TEST_F(HealthCases, ATenantHasNoMoreInFlightThanItMay) {
  open_count open;
  receiver slow{[&](const arrival&) { return open.begin(slowly(300ms)); },
                open.options()};
  receiver fit{[](const arrival&) { return answer(204); }};
  here_.start({{"LIMITS__TENANT_MAX_IN_FLIGHT", "8"}});
  here_.tenant();
  here_.tenant("beta");
  for (int i = 0; i < 5; ++i)
    here_.endpoint(slow.url(fmt::format("/{}", i)), "*",
                   R"("ordering":"none")");
  here_.call("POST", "/v1/endpoints",
             fmt::format(R"({{"tenant":"beta","url":"{}","types":["*"]}})",
                         fit.url()));
  publish("a.b", 1, 20);
  ASSERT_TRUE(slow.wait_for(8));
  const auto sent = std::chrono::steady_clock::now();
  here_.sql("select postrider.publish('beta', 'a.b', '1'::text)");
  ASSERT_TRUE(fit.wait_for(1));
  EXPECT_LT(std::chrono::steady_clock::now() - sent, 2s);
  ASSERT_TRUE(here_.settled());
  EXPECT_LE(open.most(), 8);
  EXPECT_GE(open.most(), 6); // and the limit is used
}

// D-01, D-08, D-09: every status there is, as the table has it; a redirect is
// never followed.
TEST_F(HealthCases, EveryStatusEndsAsTheTableSays) {
  receiver shop{[](const arrival& got) {
    const auto status = std::stoi(got.target.substr(1));
    return answer(status, "",
                  {{"Location", "/followed"}, {"Connection", "keep-alive"}});
  }};
  here_.start({{"HEALTH__DEGRADED_AFTER", "1000"}});
  here_.tenant();
  std::vector<int> all{101};
  for (int status = 200; status <= 599; ++status)
    all.push_back(status);
  for (const int status : all)
    here_.endpoint(shop.url(fmt::format("/{}", status)), "*",
                   R"("retry":"1h")");
  publish("a.b", 1, 1);
  ASSERT_TRUE(eventually(
      [&] { return count("attempt where sent") == std::to_string(all.size()); },
      60s));
  const auto wrong = here_.sql(R"(
select coalesce(string_agg(a.status || ':' || a.outcome || ':' || a.final
                           || ':' || coalesce(a.reason, ''), ' '), '')
from postrider.attempt a
where (a.outcome, a.final, coalesce(a.reason, '')) is distinct from (
  case when a.status between 200 and 299 then 'succeeded' else 'failed' end,
  a.status not in (404, 408, 425, 429) and a.status < 500,
  case when a.status between 200 and 299 then ''
       when a.status between 300 and 399 then 'redirected'
       when a.status = 410 then 'gone'
       when a.status in (404, 408, 425, 429) or a.status >= 500 then ''
       else 'rejected' end))");
  EXPECT_EQ(wrong, "");
  for (const auto& one : shop.arrivals())
    EXPECT_NE(one.target, "/followed");
}

// D-13 in short: more endpoints that hold every request until just before its
// deadline than the window has room for; those of other tenants don't wait.
TEST_F(HealthCases, ATarpitFarmOfOneTenantDelaysNoOther) {
  receiver tar{[](const arrival&) { return hang(1900ms); }};
  receiver fit{[](const arrival&) { return answer(204); }};
  here_.start({{"DELIVERY__WINDOW", "100"},
               {"DELIVERY__PER_ENDPOINT", "8"},
               {"HTTP__TIMEOUT", "2s"},
               {"HTTP__CONNECT_TIMEOUT", "2s"}});
  here_.tenant();
  here_.tenant("beta");
  for (int i = 0; i < 150; ++i)
    here_.endpoint(tar.url(fmt::format("/{}", i)), "*", R"("retry":"1h")");
  here_.call("POST", "/v1/endpoints",
             fmt::format(R"({{"tenant":"beta","url":"{}","types":["*"]}})",
                         fit.url()));
  publish("a.b", 1, 20);
  ASSERT_TRUE(tar.wait_for(50));
  for (std::size_t round = 1; round <= 20; ++round) {
    const auto sent = std::chrono::steady_clock::now();
    here_.sql("select postrider.publish('beta', 'a.b', '1'::text)");
    ASSERT_TRUE(fit.wait_for(round, 10s)) << round;
    EXPECT_LT(std::chrono::steady_clock::now() - sent, 2s) << round;
  }
}

// E-11 in short: where a third of the receivers answers 500, most of what goes
// out are first attempts, and the others get all of theirs.
TEST_F(HealthCases, AStormOfRetriesLeavesRoomForFirstAttempts) {
  std::atomic<int> first{0};
  std::atomic<int> again{0};
  receiver shop{[&](const arrival& got) {
    ++(got.find("X-Postrider-Attempt") == "0" ? first : again);
    return answer(got.target.find("/ill") == 0 ? 500 : 204);
  }};
  here_.start({{"HEALTH__COOLDOWNS", "1s"}});
  here_.tenant();
  for (int i = 0; i < 10; ++i)
    here_.endpoint(shop.url(fmt::format("/{}/{}", i < 3 ? "ill" : "fit", i)),
                   "*", R"("retry":"50ms 50ms 50ms 50ms 50ms 50ms 50ms")");
  publish("a.b", 1, 100);
  ASSERT_TRUE(eventually(
      [&] { return count("attempt where outcome = 'succeeded'") == "700"; },
      30s));
  EXPECT_GT(first.load() * 10, (first.load() + again.load()) * 7);
}

} // namespace
} // namespace postrider::testing
