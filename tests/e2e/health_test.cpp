// DESIGN 6 end to end: a sick endpoint is left alone, tried, and comes back by
// itself, in order, and nobody else notices.
#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Trials follow each other quickly.
std::map<std::string, std::string>
quick(std::map<std::string, std::string> more = {}) {
  more.try_emplace("HEALTH__COOLDOWNS", "1s,1s,1s");
  return more;
}

class Health : public ::testing::Test {
protected:
  std::string state(const std::string& endpoint = "") {
    return here_.sql(
        "select coalesce((select h.state from postrider.endpoint_health h "
        "join postrider.endpoint e on e.id = h.endpoint "
        "where e.url like '%"
        + endpoint + "%' limit 1), 'healthy')");
  }

  bool becomes(const std::string& wanted, std::chrono::seconds limit = 20s) {
    return eventually([&] { return state() == wanted; }, limit);
  }

  std::string count(const std::string& what) {
    return here_.sql("select count(*) from postrider." + what);
  }

  /// By the first success of each delivery.
  void expect_all_in_order(int sent) {
    std::set<int> arrived;
    std::int64_t last = 0;
    for (const auto& one : sightings(shop_)) {
      arrived.insert(std::stoi(one.body));
      if (one.attempt > 0)
        continue;
      EXPECT_GT(one.sequence, last);
      last = one.sequence;
    }
    EXPECT_EQ(arrived.size(), static_cast<std::size_t>(sent));
  }

  void publish(int from, int to, const std::string& type = "a.b") {
    here_.sql(
        fmt::format("select count(postrider.publish('acme', '{}', i::text)) "
                    "from generate_series({}, {}) as i",
                    type, from, to));
  }

  std::string operate(const std::string& what, const std::string& why = "") {
    return here_.sql("select postrider.operate_health(id, 'ep', '" + what
                     + "', '" + why + "') from postrider.endpoint");
  }

  std::atomic<int> status_{503};
  receiver shop_{[this](const arrival&) { return answer(status_); }};
  platform here_;
};

// S1.10, S1.111, LIFE-05: no operator is needed.
TEST_F(Health, AReceiverThatFailsIsHeldTriedAndServedAgainInOrder) {
  here_.start(quick());
  here_.tenant();
  here_.endpoint(shop_.url());
  publish(1, 40);
  ASSERT_TRUE(becomes("degraded"));
  publish(41, 80);
  EXPECT_TRUE(eventually([&] {
    return count("delivery where state = 'held'") == "75"; // 5 are retrying
  })) << here_.sql("select string_agg(state, ' ') from postrider.delivery");
  // Trials go on, one at a time, and each spends one attempt of the oldest.
  const auto before = shop_.arrivals().size();
  ASSERT_TRUE(shop_.wait_for(before + 2));
  EXPECT_LE(shop_.arrivals().size(), before + 3);
  status_ = 204;
  ASSERT_TRUE(becomes("healthy"));
  publish(81, 100);
  ASSERT_TRUE(here_.settled());
  expect_all_in_order(100);
  // A deferral spends no attempt (G7).
  std::map<std::int64_t, int> seen;
  for (const auto& one : sightings(shop_))
    ++seen[one.sequence];
  std::string all;
  for (const auto& [id, many] : seen)
    all += fmt::format(" {}:{}", id, many);
  EXPECT_EQ(here_.sql("select ' ' || string_agg(delivery || ':' || n, ' ' "
                      "order by delivery) from (select delivery, count(*) n "
                      "from postrider.attempt where sent group by 1) a"),
            all);
  EXPECT_EQ(count("endpoint_health where releasing"), "0");
}

// LIFE-06: once for each delivery, in a row, and a success starts anew.
TEST_F(Health, FailuresCountInARowAndASuccessStartsAnew) {
  shop_.behave([](const arrival& got) {
    return answer(std::stoi(got.body) % 5 == 0 ? 204 : 503);
  });
  here_.start(quick({{"HEALTH__FAILURE_RATIO", "2"}}));
  here_.tenant();
  here_.endpoint(shop_.url(), "*", R"("retry":"20ms 20ms")");
  publish(1, 50); // four fail, one does not, and so on: each three times
  ASSERT_TRUE(here_.settled());
  EXPECT_EQ(count("endpoint_health where state <> 'healthy'"), "0");
  shop_.behave([](const arrival&) { return answer(503); });
  publish(51, 55);
  ASSERT_TRUE(becomes("degraded"));
}

// Table of DESIGN 6: 401 three times leads to suspended, a good trial to
// degraded, the next one to healthy.
TEST_F(Health, RefusedCredentialsSuspendAndTwoGoodTrialsLeadBack) {
  here_.start(quick());
  here_.tenant();
  here_.endpoint(shop_.url());
  status_ = 401;
  publish(1, 10);
  ASSERT_TRUE(becomes("suspended"));
  status_ = 204;
  ASSERT_TRUE(becomes("degraded"));
  ASSERT_TRUE(becomes("healthy"));
  ASSERT_TRUE(here_.settled());
  EXPECT_EQ(count("attempt where final and outcome = 'failed'"), "3");
  EXPECT_EQ(count("attempt where final and outcome = 'succeeded'"), "7");
}

TEST_F(Health, GoneSuspendsAtOnceAndTellsTheOperators) {
  receiver office{[](const arrival&) { return answer(204); }};
  here_.start(quick());
  here_.tenant();
  here_.endpoint(shop_.url());
  here_.call("POST", "/v1/endpoints",
             fmt::format(R"({{"tenant":"postrider","url":"{}",)"
                         R"("types":["endpoint.*","delivery.*"]}})",
                         office.url("/office")));
  status_ = 410;
  publish(1, 3);
  ASSERT_TRUE(office.wait_for(1));
  const auto news = office.arrivals().at(0).body;
  EXPECT_NE(news.find(R"("to": "suspended")"), std::string::npos) << news;
  EXPECT_NE(news.find(R"("cause": "gone")"), std::string::npos) << news;
  EXPECT_EQ(news.find("127.0.0.1"), std::string::npos) << news;
  status_ = 204;
  ASSERT_TRUE(office.wait_for(3)); // degraded, recovered
  ASSERT_TRUE(here_.settled());
}

// DESIGN 6, S1 part 2.1.4: automation never undoes what an operator did.
TEST_F(Health, AnOperatorsStopCancelsWhatIsOpenAndLastsUntilTheOperatorSaysSo) {
  here_.start(quick());
  here_.tenant();
  here_.endpoint(shop_.url());
  publish(1, 50);
  ASSERT_TRUE(becomes("degraded"));
  operate("disable", "wrong address");
  EXPECT_TRUE(eventually([&] { return count("delivery") == "0"; }));
  const auto arrived = shop_.arrivals().size();
  status_ = 204;
  publish(51, 60);
  EXPECT_EQ(count("attempt where final and outcome = 'cancelled' "
                  "and reason = 'endpoint_disabled' and not sent"),
            "60");
  EXPECT_EQ(shop_.arrivals().size(), arrived);
  operate("enable");
  publish(61, 62);
  ASSERT_TRUE(shop_.wait_for(arrived + 2))
      << here_.sql("select string_agg(d::text, ' ') from postrider.delivery d")
      << here_.sql("select h::text from postrider.endpoint_health h");
  ASSERT_TRUE(here_.settled());
  EXPECT_EQ(shop_.arrivals().size(), arrived + 2);
}

TEST_F(Health, APauseHoldsWithoutJudgingAndAResumeLetsAllOutInOrder) {
  status_ = 204;
  here_.start(quick());
  here_.tenant();
  here_.endpoint(shop_.url());
  publish(1, 5);
  ASSERT_TRUE(here_.settled());
  operate("pause", "maintenance");
  publish(6, 205);
  EXPECT_EQ(count("delivery where state = 'held'"), "200");
  EXPECT_EQ(state(), "healthy");
  operate("resume");
  publish(206, 210);
  ASSERT_TRUE(here_.settled());
  expect_all_in_order(210);
}

// S3, part 2.3.5: the whole endpoint, not the delivery alone.
TEST_F(Health, RetryAfterPausesTheWholeEndpoint) {
  std::atomic<bool> full{true};
  shop_.behave([&](const arrival&) {
    return full.exchange(false) ? answer(429, "", {{"Retry-After", "2"}})
                                : answer(204);
  });
  here_.start(quick());
  here_.tenant();
  here_.endpoint(shop_.url(), "*", R"("retry":"50ms 50ms")");
  publish(1, 10);
  ASSERT_TRUE(here_.settled());
  const auto all = shop_.arrivals();
  ASSERT_EQ(all.size(), 11U);
  EXPECT_GE(all[1].at - all[0].at, 1900ms);
  EXPECT_EQ(state(), "healthy");
}

// E-15, LOAD-02: whoever runs the trial may die.
TEST_F(Health, ATrialWhoseNodeDiesNeitherBlocksNorCounts) {
  std::atomic<bool> hangs{false};
  shop_.behave([&](const arrival&) {
    return hangs ? script{{step::kind::pause, "", 60s}} : answer(status_);
  });
  const auto settings = quick({{"DELIVERY__LEASE", "3s"},
                               {"DELIVERY__HEARTBEAT", "500ms"},
                               {"HTTP__TIMEOUT", "2s"},
                               {"HTTP__CONNECT_TIMEOUT", "1s"}});
  auto& first = here_.start(settings);
  here_.tenant();
  here_.endpoint(shop_.url());
  publish(1, 10);
  ASSERT_TRUE(becomes("degraded"));
  hangs = true;
  const auto before = shop_.arrivals().size();
  ASSERT_TRUE(shop_.wait_for(before + 1)); // the trial is out
  const auto rung = here_.sql("select rung from postrider.endpoint_health");
  first.signal(SIGKILL);
  first.wait();
  hangs = false;
  EXPECT_EQ(here_.sql("select rung from postrider.endpoint_health"), rung);
  status_ = 204;
  here_.start(settings, true);
  ASSERT_TRUE(becomes("healthy"));
  ASSERT_TRUE(here_.settled());
}

TEST_F(Health, AnEndpointsRateIsNeverExceeded) {
  status_ = 204;
  here_.start(quick());
  here_.tenant();
  here_.endpoint(shop_.url(), "*", R"("ordering":"none")");
  here_.sql("update postrider.endpoint set rate = 50");
  publish(1, 150);
  ASSERT_TRUE(here_.settled());
  const auto all = shop_.arrivals();
  ASSERT_EQ(all.size(), 150U);
  for (std::size_t i = 0; i + 60 < all.size(); ++i)
    EXPECT_GE(all[i + 60].at - all[i].at, 1s) << i;
  EXPECT_GE(all.back().at - all.front().at, 2900ms);
}

} // namespace
} // namespace postrider::testing
