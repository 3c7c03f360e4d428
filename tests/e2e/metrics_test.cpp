#include "app/api/routes.hpp"
#include "tests/e2e/platform.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/metrics_page.hpp"
#include "tests/support/shell.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <regex>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

const std::string root = POSTRIDER_SOURCE;

std::string file(const std::string& name) {
  std::ifstream in{root + "/" + name};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::set<std::string> words(const std::string& text, const char* pattern) {
  const std::regex what{pattern};
  std::set<std::string> out;
  for (std::sregex_iterator at{text.begin(), text.end(), what}, end; at != end;
       ++at)
    out.insert((*at)[1]);
  return out;
}

/// A node after a short life of all kinds of events, and its page.
class Metrics : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    here_ = new platform;
    live();
    // Outcomes are counted when they are written, gauges when sampled.
    eventually([] {
      page_ = here_->call(*here_->nodes()[0], "READY", "/metrics").body;
      all_ = read_metrics(page_);
      return sum_of(all_, "postrider_attempts_total") == number(attempts)
             && sum_of(all_, "postrider_partition_ahead_seconds") > 0;
    });
  }

  static void TearDownTestSuite() {
    delete here_;
    here_ = nullptr;
  }

  static double number(const std::string& sql) {
    return std::stod(here_->sql(sql));
  }

  static constexpr auto attempts =
      "select count(*) from postrider.attempt where sent";

  static platform* here_;
  static std::string page_;
  static std::vector<sample> all_;

private:
  static void live() {
    std::atomic<int> calls{0};
    receiver good{[](const arrival&) { return answer(204); }};
    receiver late{
        [&](const arrival&) { return answer(calls++ < 2 ? 503 : 200); }};
    receiver bad{[](const arrival&) { return answer(400); }};
    here_->start();
    here_->tenant();
    here_->endpoint(good.url(), "good.*");
    here_->endpoint(late.url(), "late", R"("retry":"20ms 20ms 20ms")");
    here_->endpoint(bad.url(), "bad.*");
    std::string closed;
    {
      receiver gone{[](const arrival&) { return script{}; }};
      closed = gone.url();
    }
    here_->endpoint(closed, "good.a", R"("retry":"20ms 20ms")");
    // Refused when it is dialled: when it was written it was another.
    here_->endpoint(good.url("/lan"), "lan");
    here_->sql("update postrider.endpoint set url = 'http://10.0.0.1/' "
               "where url like '%/lan'");
    for (int i = 0; i < 20; ++i)
      here_->send("good.b", R"({"n":1})");
    here_->send("good.a", "{}");
    here_->send("late", "{}");
    here_->send("bad.one", "{}");
    here_->send("lan", "{}");
    here_->send("nobody", "{}");
    here_->call("POST", "/v1/events/batch",
                R"([{"tenant":"acme","type":"good.b","payload":1,"id":"x"},)"
                R"({"tenant":"acme","type":"good.b","payload":1,"id":"x"},)"
                R"({"tenant":"acme"}])");
    here_->call("POST", "/v1/events", "{");
    here_->call("GET", "/v1/deliveries/dlv_00000000000000000000000000");
    here_->call("GET", "/nothing/here");
    here_->settled();
  }
};

platform* Metrics::here_ = nullptr;
std::string Metrics::page_;
std::vector<sample> Metrics::all_;

TEST_F(Metrics, AgreeWithTheDatabase) {
  EXPECT_EQ(sum_of(all_, "postrider_attempts_total"), number(attempts));
  EXPECT_EQ(sum_of(all_, "postrider_attempts_total",
                   {{"outcome", "succeeded"}, {"code_class", "2xx"}}),
            number("select count(*) from postrider.attempt where sent and "
                   "outcome = 'succeeded'"));
  EXPECT_EQ(
      sum_of(all_, "postrider_attempts_total", {{"code_class", "5xx"}}),
      number("select count(*) from postrider.attempt where status = 503"));
  for (const std::string outcome : {"succeeded", "failed", "cancelled"}) {
    const auto ended = number(
        "select count(*) from postrider.attempt where final and outcome = '"
        + outcome + "'");
    EXPECT_EQ(sum_of(all_, "postrider_deliveries_finished_total",
                     {{"outcome", outcome}}),
              ended);
    EXPECT_EQ(sum_of(all_, "postrider_delivery_duration_seconds_count",
                     {{"outcome", outcome}}),
              ended);
  }
  EXPECT_EQ(sum_of(all_, "postrider_dead_letters_total"),
            number("select count(*) from postrider.attempt where final and "
                   "outcome = 'failed'"));
  EXPECT_EQ(sum_of(all_, "postrider_retries_scheduled_total"),
            number("select count(*) from postrider.attempt where not final"));
  EXPECT_EQ(sum_of(all_, "postrider_events_accepted_total"),
            number("select count(*) from postrider.event"));
  EXPECT_EQ(sum_of(all_, "postrider_deliveries_created_total"),
            number("select sum(deliveries) from postrider.event"));
  EXPECT_EQ(sum_of(all_, "postrider_events_unmatched_total"), 1);
  EXPECT_EQ(
      sum_of(all_, "postrider_events_duplicate_total", {{"reason", "id"}}), 1);
  EXPECT_EQ(sum_of(all_, "postrider_events_rejected_total"), 2);
  EXPECT_EQ(sum_of(all_, "postrider_leases"), 256);
  EXPECT_EQ(sum_of(all_, "postrider_node_state", {{"state", "ready"}}), 1);
}

TEST_F(Metrics, TellHowRequestsWentOut) {
  const auto sent = number(attempts);
  EXPECT_GE(sum_of(all_, "postrider_client_requests_reused_total",
                   {{"reused", "yes"}}),
            1);
  EXPECT_GE(
      sum_of(all_, "postrider_address_blocked_total", {{"range", "private"}}),
      1);
  EXPECT_GE(sum_of(all_, "postrider_signatures_total"), sent);
  EXPECT_GE(sum_of(all_, "postrider_attempt_phase_seconds_count",
                   {{"phase", "first_byte"}}),
            20);
  EXPECT_GE(sum_of(all_, "postrider_claim_batch_size_count"), 1);
  EXPECT_GE(sum_of(all_, "postrider_storage_query_duration_seconds_count",
                   {{"query", "finish"}}),
            1);
  EXPECT_GE(
      sum_of(all_, "postrider_actor_messages_total", {{"actor", "partition"}}),
      sent);
  EXPECT_GE(
      sum_of(all_, "postrider_loop_lag_seconds_count", {{"loop", "client"}}),
      1);
  EXPECT_GE(sum_of(all_, "process_open_fds"), 10);
}

TEST_F(Metrics, PleasePromtool) {
  if (std::string{POSTRIDER_PROMTOOL}.empty())
    GTEST_SKIP() << "no promtool: see deploy/packages.txt";
  const auto name = ::testing::TempDir() + "/postrider-page.txt";
  std::ofstream{name} << page_;
  const auto said =
      shell(std::string{POSTRIDER_PROMTOOL} + " check metrics < " + name);
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.output, "");
}

TEST_F(Metrics, HaveLabelsFromClosedListsOnly) {
  std::set<std::string> routes{"other"};
  for (const auto& one : api::routes())
    routes.insert(std::string{one.path});
  const std::regex bound{"[0-9.e+-]+|\\+Inf"};
  const std::regex word{"[a-z][a-z0-9_]*|"};
  for (const auto& one : all_)
    for (const auto& [name, value] : one.labels) {
      if (name == "le") {
        EXPECT_TRUE(std::regex_match(value, bound)) << value;
      } else if (name == "route") {
        EXPECT_TRUE(routes.contains(value)) << value;
      } else if (name == "code") {
        EXPECT_TRUE(value == "other" || value.size() == 3) << value;
      } else if (name == "code_class" || name == "step" || name == "version"
                 || name == "compiler" || name == "method") {
        EXPECT_LT(value.size(), 48u) << value;
      } else {
        EXPECT_TRUE((std::set<std::string>{
            "actor",   "cause",    "class",  "error",   "first_try", "kind",
            "level",   "listener", "loop",   "outcome", "phase",     "query",
            "range",   "reason",   "reused", "scheme",  "source",    "state",
            "storage", "table",    "result", "to",      "how",       "health"}
                         .contains(name)))
            << name;
        EXPECT_TRUE(std::regex_match(value, word)) << name << "=" << value;
      }
    }
  EXPECT_LT(page_.size(), 400u * 1024);
}

TEST_F(Metrics, AreAllDescribedAndNoneElseIs) {
  const auto there = words(page_, "# TYPE ([a-z_]+) ");
  const auto described =
      words(file("docs/metrics.md"), "\n\\| `([a-z_]+)` \\|");
  EXPECT_EQ(described, there);
}

TEST_F(Metrics, AreThereForEveryRule) {
  auto there = words(page_, "# TYPE ([a-z_]+) ");
  for (const auto& name : std::set<std::string>{there})
    for (const auto* end : {"_bucket", "_count", "_sum"})
      there.insert(name + end);
  const auto rules = file("deploy/prometheus/postrider.rules.yml");
  const auto used = words(rules, "((?:postrider|process)_[a-z_]+)");
  EXPECT_GE(used.size(), 15u);
  for (const auto& name : used)
    EXPECT_TRUE(there.contains(name)) << name;
}

TEST(Rules, ArePleasantToPromtoolAndFireWhenTheyShould) {
  if (std::string{POSTRIDER_PROMTOOL}.empty())
    GTEST_SKIP() << "no promtool: see deploy/packages.txt";
  const std::string folder = "cd " + root + "/deploy/prometheus && ";
  for (const std::string verb : {" check rules postrider.rules.yml",
                                 " test rules postrider.rules.test.yml"}) {
    const auto said = shell(folder + POSTRIDER_PROMTOOL + verb);
    EXPECT_EQ(said.code, 0) << said.output;
  }
}

TEST(Rules, EachHaveATestASummaryAndAPageInTheRunbook) {
  const auto rules = file("deploy/prometheus/postrider.rules.yml");
  const auto names = words(rules, "- alert: (Postrider[A-Za-z]+)\n");
  const auto tests = file("deploy/prometheus/postrider.rules.test.yml");
  const auto anchors = words(rules, "runbook: docs/runbook.md#([a-z-]+)\n");
  EXPECT_GE(names.size(), 15u);
  EXPECT_EQ(names, words(tests, "alertname: (Postrider[A-Za-z]+)\n"));
  EXPECT_EQ(anchors.size(), names.size());
  std::set<std::string> sections;
  for (auto title : words(file("docs/runbook.md"), "\n## ([A-Za-z ]+)\n")) {
    for (auto& c : title)
      c = c == ' ' ? '-' : static_cast<char>(std::tolower(c));
    sections.insert(title);
  }
  EXPECT_EQ(sections, anchors);
  std::size_t summaries = 0;
  for (auto at = rules.find("summary: \""); at != std::string::npos;
       at = rules.find("summary: \"", at + 1))
    ++summaries;
  EXPECT_EQ(summaries, names.size());
}

} // namespace
} // namespace postrider::testing
