#include "app/bench/backlog.hpp"
#include "app/bench/isolation.hpp"
#include "app/bench/measured_work.hpp"
#include "app/bench/steady_load.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr const char* steady_alone = "alone: steady";

/// One node after the other, each with a part of the work: the healthy
/// endpoints alone, or beside the sick ones.
class sick_run {
public:
  sick_run(bench_stage& stage, const sick_options& options,
           bench_report& report)
      : stage_{stage},
        options_{options},
        report_{report},
        healthy_{stage.targets(0, options.endpoints - options.sick)},
        sick_{stage.targets(options.endpoints - options.sick)} {}

  /// Returns the rate at which the backlog of the healthy ones was drained.
  double part(bool beside, int round);
  void judge();

private:
  bench_phase drain(const std::string& name);
  bench_phase steady(const std::string& name);
  void publish_beside(const load_targets& targets);
  void end_part();

  bench_stage& stage_;
  const sick_options& options_;
  bench_report& report_;
  load_targets healthy_;
  load_targets sick_;
  std::uint64_t number_ = 0;   ///< of the next event
  std::uint64_t accepted_ = 0; ///< events for healthy endpoints
  /// Kept to the end for what they know of the order.
  std::vector<std::unique_ptr<steady_load>> loads_;
  steady_load* beside_ = nullptr;
};

double sick_run::part(bool beside, int round) {
  const std::string name = beside ? "beside" : "alone";
  if (beside) {
    write_backlog(stage_, sick_, number_,
                  options_.sick * options_.sick_backlog);
    number_ += options_.sick * options_.sick_backlog;
  }
  write_backlog(stage_, healthy_, number_, options_.events);
  number_ += options_.events;
  accepted_ += options_.events;
  stage_.start_node();
  stage_.settle();
  stage_.pause(300ms);
  // Alone, as many go to nobody: what publishing costs is no sickness.
  publish_beside(beside ? sick_
                        : load_targets{{bench_stage::tenant, "bench.nobody"}});
  report_.phases.push_back(drain(fmt::format("{}: drain {}", name, round)));
  const auto rate = report_.phases.back().rate();
  if (round == 1) {
    report_.phases.push_back(steady(name + ": steady"));
    if (beside)
      judge_delay(steady_alone, options_.bounds, report_);
  }
  end_part();
  return rate;
}

/// Events one by one from now on, until the part ends.
void sick_run::publish_beside(const load_targets& targets) {
  steady_options how;
  how.targets = targets;
  how.first = number_;
  how.rate = options_.sick_rate;
  how.sql = true; // no node has to be at work
  how.duration = 10min;
  how.warm_up = 0ms;
  how.connections = 1;
  loads_.push_back(std::make_unique<steady_load>(stage_, how));
  beside_ = loads_.back().get();
  number_ += beside_->planned();
}

bench_phase sick_run::drain(const std::string& name) {
  return measure_work(
      stage_, name, [&] { stage_.node().go(); },
      [&] { return stage_.wait_until_delivered(accepted_, name); });
}

bench_phase sick_run::steady(const std::string& name) {
  steady_options how;
  how.targets = healthy_;
  how.first = number_;
  how.rate = options_.rate;
  how.duration = options_.duration;
  how.warm_up = std::min<std::chrono::milliseconds>(3s, options_.duration);
  loads_.push_back(std::make_unique<steady_load>(stage_, how));
  auto& load = *loads_.back();
  number_ += load.planned();
  auto phase = measure_steady(stage_, name, load, report_);
  accepted_ += load.tally().counts().accepted;
  stage_.wait_until_delivered(accepted_, "waiting for the last");
  add_latencies(stage_, load, phase);
  return phase;
}

/// Leaves nothing of what is sick for the next one.
void sick_run::end_part() {
  beside_->finish();
  while (!beside_->done())
    stage_.pause(5ms);
  judge_load(beside_->tally(), "beside", report_);
  auto& facts = report_.phases.back().facts;
  facts.emplace_back("black_hole_requests",
                     stage_.receiver().totals().turned_away);
  facts.emplace_back(
      "held_for_sick",
      static_cast<std::uint64_t>(stage_.database().held(stage_.sick_ids())));
  stage_.stop_node();
  stage_.database().forget(stage_.sick_ids());
}

void sick_run::judge() {
  bench_stage::tallies from;
  for (const auto& one : loads_)
    from.push_back(&one->tally());
  bench_phase whole;
  whole.name = "all";
  stage_.judge(accepted_, report_, whole, from);
  stage_.judge_attempts(report_, whole);
  auto& facts = report_.phases.back().facts;
  facts.insert(facts.end(), whole.facts.begin(), whole.facts.end());
}

} // namespace

void set_up(const sick_options& options, stage_options& stage) {
  stage.groups = {{.count = options.endpoints - options.sick},
                  {.count = options.sick, .black_hole = true}};
  // In front, so that the caller's own settings count.
  stage.settings.insert(stage.settings.begin(),
                        {"http.timeout=2s", "http.connect_timeout=2s"});
}

bench_report bench_sick(bench_stage& stage, const sick_options& options) {
  auto report = stage.start_report("sick");
  report.settings.emplace_back("sick", std::to_string(options.sick));
  report.settings.emplace_back("events", std::to_string(options.events));
  report.settings.emplace_back("sick_backlog",
                               std::to_string(options.sick_backlog));
  report.settings.emplace_back("sick_rate",
                               fmt::format("{:g}/s", options.sick_rate));
  report.settings.emplace_back("loop",
                               fmt::format("open at {:g}/s", options.rate));
  report.settings.emplace_back("duration",
                               fmt::format("{}ms", options.duration.count()));
  report.settings.emplace_back("rounds", std::to_string(options.rounds));
  sick_run run{stage, options, report};
  std::vector<double> percents;
  for (int round = 1; round <= options.rounds; ++round) {
    const auto alone = run.part(false, round);
    percents.push_back(100 * run.part(true, round) / alone);
  }
  const auto middle =
      percents.begin() + static_cast<std::ptrdiff_t>((percents.size() - 1) / 2);
  std::nth_element(percents.begin(), middle, percents.end());
  run.judge();
  judge_share(*middle, options.bounds, report);
  return report;
}

} // namespace postrider::app
