#include "app/bench/backlog.hpp"
#include "app/bench/measured_work.hpp"
#include "app/bench/payload.hpp"
#include "app/bench/progress.hpp"
#include "app/bench/scenarios.hpp"
#include "store/bench_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

/// Rows between two looks at whether the run is to end.
constexpr std::uint64_t step = 100'000;

class deep_run {
public:
  deep_run(bench_stage& stage, const deep_options& options)
      : stage_{stage}, options_{options} {
    const payload_maker maker{stage.options().payload};
    const auto parts = maker.taken_apart();
    payload_ = {parts.before_number, parts.before_moment, parts.rest,
                parts.number_digits, parts.moment_digits};
  }

  /// Writes a backlog and drains so much of it.
  bench_phase part(const std::string& name, std::uint64_t backlog);
  void hold_rows();
  void hold_horizon() { rows_->hold_horizon(); }
  std::uint64_t left() const { return written_ - drained_; }
  std::uint64_t drained() const { return drained_; }

private:
  void write(store::bench_rows::endpoint_ids endpoints, std::uint64_t count,
             bool held, const std::string& what);

  bench_stage& stage_;
  const deep_options& options_;
  store::bench_rows::payload_parts payload_;
  std::optional<store::bench_rows> rows_{std::in_place, stage_.database_url()};
  std::uint64_t number_ = 0;  ///< of the next event
  std::uint64_t written_ = 0; ///< for endpoints that are answered
  std::uint64_t drained_ = 0;
};

void deep_run::write(store::bench_rows::endpoint_ids endpoints,
                     std::uint64_t count, bool held, const std::string& what) {
  progress bar{what, count};
  for (std::uint64_t done = 0; done < count; done += step) {
    store::bench_rows::backlog one;
    one.endpoints = endpoints;
    one.tenant = bench_stage::tenant;
    one.type = "bench.deep";
    one.first = number_;
    one.count = std::min(step, count - done);
    one.moment = monotonic_now();
    one.held = held;
    one.payload = payload_;
    rows_->write_backlog(one);
    number_ += one.count;
    bar.show(done + one.count);
    stage_.pause(0ms);
  }
}

void deep_run::hold_rows() {
  rows_->pause(stage_.sick_ids().front());
  write(stage_.sick_ids(), options_.held, true, "writing what is held");
}

bench_phase deep_run::part(const std::string& name, std::uint64_t backlog) {
  const auto& all = stage_.endpoint_ids();
  write(std::span{all}.first(all.size() - stage_.sick_ids().size()), backlog,
        false, "writing the backlog");
  written_ += backlog;
  stage_.start_node();
  stage_.settle();
  stage_.pause(300ms);
  const auto goal = drained_ + options_.drain;
  auto phase = measure_work(
      stage_, name, [&] { stage_.node().go(); },
      [&] {
        return goal < written_ ? stage_.wait_until_requested(goal, name)
                               : stage_.wait_until_delivered(goal, name);
      });
  stage_.stop_node();
  drained_ = stage_.receiver().totals().unique;
  phase.facts.emplace_back("backlog", backlog);
  return phase;
}

} // namespace

void set_up(const deep_options& options, stage_options& stage) {
  stage.groups = {{.count = options.endpoints}};
  if (options.held > 0) // paused, and none of those that are waited for
    stage.groups.push_back({.black_hole = true});
}

bench_report bench_deep(bench_stage& stage, const deep_options& options) {
  auto report = stage.start_report("deep");
  report.settings.emplace_back("backlog", std::to_string(options.backlog));
  report.settings.emplace_back("drain", std::to_string(options.drain));
  report.settings.emplace_back("held", std::to_string(options.held));
  report.settings.emplace_back("snapshot", options.snapshot ? "held" : "none");
  deep_run run{stage, options};
  report.phases.push_back(run.part("small backlog", options.drain));
  if (options.held > 0)
    run.hold_rows();
  if (options.snapshot)
    run.hold_horizon();
  auto phase = run.part("deep backlog", options.backlog);
  bench_phase whole;
  whole.name = phase.name;
  stage.judge(run.drained(), report, whole, {}, run.left());
  stage.judge_attempts(report, whole);
  phase.facts.insert(phase.facts.end(), whole.facts.begin(), whole.facts.end());
  const auto& small = report.phases.front();
  const auto percent = 100 * phase.each(phase.used.cpu())
                       / std::max(small.each(small.used.cpu()), 1e-9);
  phase.facts.emplace_back("cpu_percent_of_small",
                           static_cast<std::uint64_t>(percent));
  report.verdicts.push_back(
      {fmt::format("cpu each within {:g} % of a small backlog's",
                   options.tolerance),
       phase.name, percent, percent <= 100 + options.tolerance});
  report.phases.push_back(std::move(phase));
  return report;
}

} // namespace postrider::app
