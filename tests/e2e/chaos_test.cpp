#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

constexpr int endpoints = 6;
constexpr int streams = 8;

/// Fails the first attempt of every fifth event and is slow now and then.
script moody(const arrival& got) {
  const auto number = std::stoi(got.body);
  const bool first = got.find("X-Postrider-Attempt") == "0";
  script out;
  if (number % 11 == 0)
    out.push_back({step::kind::pause, "", 30ms});
  const auto rest = answer(first && number % 5 == 0 ? 503 : 204);
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

std::map<std::string, std::string> quick() {
  return {{"HTTP__TIMEOUT", "1500ms"}, {"HTTP__CONNECT_TIMEOUT", "1s"},
          {"DELIVERY__LEASE", "2s"},   {"DELIVERY__HEARTBEAT", "300ms"},
          {"DELIVERY__WINDOW", "300"}, {"DELIVERY__PER_ENDPOINT", "24"},
          {"SHUTDOWN__TIMEOUT", "5s"}};
}

// A-03, A-04, A-06, B-02, G1, G2, G3 together: nodes that are killed, stalled,
// stopped and started again, and connections that are cut, while producers
// publish by SQL, some of them slowly and some rolled back.
// Half a minute of chance: with `tests/run --long`.
class Chaos : public ::testing::Test {
protected:
  void SetUp() override {
    if (std::getenv("POSTRIDER_LONG") == nullptr)
      GTEST_SKIP() << "run it with tests/run --long";
    for (int i = 0; i < 3; ++i)
      here_.start(quick());
    here_.tenant();
    for (int i = 0; i < endpoints; ++i)
      here_.endpoint(shop_.url(fmt::format("/{}", i)), "*",
                     R"("ordering_key":"event","retry":"50ms 200ms 500ms 1s")");
  }

  /// Ten events of one transaction; every fourth lot is taken back.
  void publish_some() {
    const bool keep = ++lots_ % 4 != 0;
    std::string statement =
        keep ? "select count(postrider.publish('acme', 'a.b', i::text, "
               "ordering_key => 's' || (i % 8))) from "
               "generate_series({0}, {0} + 9) as i"
             : "do $$ begin perform postrider.publish('acme', 'a.b', "
               "'-1'); raise 'taken back'; exception when others then "
               "null; end $$";
    here_.sql(fmt::format(fmt::runtime(statement), sent_));
    sent_ += keep ? 10 : 0;
  }

  void hurt_somebody() {
    auto& nodes = here_.nodes();
    const auto which = chance_() % nodes.size();
    switch (chance_() % 5) {
    case 0:
      nodes[which]->signal(SIGKILL);
      renew(which);
      break;
    case 1:
      nodes[which]->signal(SIGTERM);
      renew(which);
      break;
    case 2: { // stalled past its lease
      nodes[which]->signal(SIGSTOP);
      const auto until = std::chrono::steady_clock::now() + 2500ms;
      while (std::chrono::steady_clock::now() < until)
        publish_some();
      nodes[which]->signal(SIGCONT);
      break;
    }
    default:
      here_.sql("select pg_terminate_backend(pid) from pg_stat_activity "
                "where datname = current_database() and application_name "
                "like 'postrider%' order by random() limit 1");
    }
  }

  void renew(std::size_t which) {
    here_.nodes()[which]->wait();
    here_.nodes().erase(here_.nodes().begin()
                        + static_cast<std::ptrdiff_t>(which));
    here_.start(quick(), false);
  }

  receiver shop_{moody};
  platform here_;
  std::mt19937 chance_{20260101};
  int sent_ = 0;
  int lots_ = 0;
};

TEST_F(Chaos, LosesNothingAndKeepsTheOrderOfFirstArrivals) {
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 10; ++i)
      publish_some();
    hurt_somebody();
    if (HasFatalFailure())
      return;
  }
  ASSERT_TRUE(here_.settled(90s)) << here_.nodes()[0]->log();
  std::map<std::string, int> last; // of a stream: its highest so far
  std::map<std::string, int> times;
  for (const auto& one : shop_.arrivals()) {
    const auto number = std::stoi(one.body);
    const auto what = one.target + " " + one.body;
    EXPECT_GE(number, 0) << "a publish that was taken back";
    if (times[what]++ > 0)
      continue;
    const auto stream = fmt::format("{} {}", one.target, number % streams);
    const auto had = last.try_emplace(stream, -1).first;
    EXPECT_GT(number, had->second) << stream << ": first arrival out of order";
    had->second = number;
  }
  EXPECT_EQ(times.size(), static_cast<std::size_t>(endpoints * sent_));
  EXPECT_EQ(here_.sql("select count(*) || ' ' || count(distinct delivery) "
                      "from postrider.attempt where final "
                      "and outcome = 'succeeded'"),
            fmt::format("{0} {0}", endpoints * sent_));
  EXPECT_EQ(here_.sql("select count(*) from (select from postrider.attempt "
                      "group by delivery, number having count(*) > 1) as d"),
            "0");
}

} // namespace
} // namespace postrider::testing
