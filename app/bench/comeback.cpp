#include "app/bench/backlog.hpp"
#include "app/bench/payload.hpp"
#include "app/bench/progress.hpp"
#include "app/bench/scenarios.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t batch = 500;
constexpr std::int64_t most_moves = 3;
constexpr std::size_t seconds_shown = 30;
constexpr std::int64_t patience = 60'000'000; // µs

/// Publishes until so many are held; how many were published.
std::uint64_t publish_until_held(bench_stage& stage, std::uint64_t held) {
  const auto& endpoint = stage.endpoint_ids();
  write_backlog(stage, stage.targets(), 0, held);
  auto published = held;
  const auto began = monotonic_now();
  while (static_cast<std::uint64_t>(stage.database().held(endpoint)) < held) {
    if (monotonic_now() - began > patience)
      throw std::runtime_error{
          "the endpoint turns everything away, and what is published for it "
          "is not held: see the node's log"};
    const auto more = std::min(batch, held);
    write_backlog(stage, stage.targets(), published, more);
    published += more;
    stage.pause(200ms);
  }
  return published;
}

void judge_pace(bench_stage& stage, const comeback_options& options,
                bench_report& report, bench_phase& phase) {
  const auto pace = stage.receiver().paced();
  phase.facts.emplace_back("peak_second", pace.peak);
  for (std::size_t i = 0; i < pace.seconds.size() && i < seconds_shown; ++i)
    phase.facts.emplace_back(fmt::format("second_{}", i + 1), pace.seconds[i]);
  const auto most = options.rate + options.rate / 50 + 1;
  const auto peak = static_cast<double>(pace.peak);
  report.verdicts.push_back({fmt::format("peak second <= {:g}", most),
                             phase.name, peak, peak <= most});
}

void judge_moves(const store::workbench::health_moves& moves,
                 bench_report& report, bench_phase& phase) {
  for (const auto& [way, count] :
       {std::pair{"down", moves.down}, std::pair{"up", moves.up}}) {
    phase.facts.emplace_back(fmt::format("health_{}", way),
                             static_cast<std::uint64_t>(count));
    report.verdicts.push_back(
        {fmt::format("1 to {} changes of health {}", most_moves, way),
         phase.name, static_cast<double>(count),
         count >= 1 && count <= most_moves});
  }
}

} // namespace

void set_up(const comeback_options& options, stage_options& stage) {
  stage.groups = {{.rate = options.rate}};
  // In front, so that the caller's own settings count.
  stage.settings.insert(stage.settings.begin(), "health.cooldowns=1s");
}

bench_report bench_comeback(bench_stage& stage,
                            const comeback_options& options) {
  auto report = stage.start_report("comeback");
  report.settings.emplace_back("rate", fmt::format("{:g}/s", options.rate));
  report.settings.emplace_back("held", std::to_string(options.held));
  const auto before = stage.database().moves(bench_stage::tenant);
  stage.start_node();
  stage.receiver().answer(503);
  stage.node().go();
  stage.wait_until_leased();
  const auto published = publish_until_held(stage, options.held);
  stage.settle();
  bench_phase phase;
  phase.name = "comeback";
  const auto held = stage.database().held(stage.endpoint_ids());
  auto meter = stage.start_meter();
  const auto began = monotonic_now();
  stage.receiver().measure_from(began);
  stage.receiver().answer(204);
  const auto end = stage.wait_until_delivered(published, "coming back");
  phase.used = meter.stop(static_cast<double>(end.at - began) / 1e6);
  phase.count = stage.receiver().totals().unique;
  stage.judge(published, report, phase);
  stage.stop_node();
  stage.judge_attempts(report, phase);
  phase.facts.emplace_back("held", static_cast<std::uint64_t>(held));
  phase.facts.emplace_back("turned_away",
                           stage.receiver().totals().turned_away);
  const auto after = stage.database().moves(bench_stage::tenant);
  judge_moves({after.down - before.down, after.up - before.up}, report, phase);
  judge_pace(stage, options, report, phase);
  report.phases.push_back(std::move(phase));
  return report;
}

} // namespace postrider::app
