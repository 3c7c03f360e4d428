#include "app/bench/backlog.hpp"
#include "app/bench/measured_work.hpp"
#include "app/bench/scenarios.hpp"
#include "store/bench_rows.hpp"

#include <fmt/format.h>

namespace postrider::app {

using namespace std::chrono_literals;

void set_up(const retry_storm_options& options, stage_options& stage) {
  stage.groups = {
      {.count = options.endpoints,
       .retry = fmt::format("1h attempts={}", options.failures + 1)}};
  // In front, so that the caller's own settings count. A healthy endpoint is
  // the point: a sick one's retries are held and don't come all at once.
  stage.settings.insert(stage.settings.begin(), {"health.degraded_after=1000",
                                                 "health.failure_ratio=2"});
}

bench_report bench_retry_storm(bench_stage& stage,
                               const retry_storm_options& options) {
  auto report = stage.start_report("retry-storm");
  report.settings.emplace_back("events", std::to_string(options.events));
  report.settings.emplace_back("failures", std::to_string(options.failures));
  store::bench_rows rows{stage.database_url()};
  stage.receiver().refuse(options.failures);
  write_backlog(stage, stage.targets(), 0, options.events);
  for (int attempt = 0; attempt <= options.failures; ++attempt) {
    const auto name = fmt::format("attempt {}", attempt + 1);
    const auto requests =
        options.events * (static_cast<std::uint64_t>(attempt) + 1);
    stage.start_node();
    stage.settle();
    stage.pause(300ms);
    auto phase = measure_work(
        stage, name, [&] { stage.node().go(); },
        [&] {
          return attempt < options.failures
                     ? stage.wait_until_requested(requests, name)
                     : stage.wait_until_delivered(options.events, name);
        });
    phase.unit = "attempts";
    phase.count = options.events;
    if (attempt == options.failures) {
      stage.judge(options.events, report, phase);
      phase.facts.emplace_back("turned_away",
                               stage.receiver().totals().turned_away);
    }
    stage.stop_node();
    if (attempt == options.failures) {
      stage.judge_attempts(report, phase);
    } else if (const auto due = static_cast<std::uint64_t>(
                   rows.make_due(stage.endpoint_ids()));
               due != options.events) {
      report.faults.push_back(
          fmt::format("{}: {} of {} deliveries wait for their retry", name, due,
                      options.events));
    }
    report.phases.push_back(std::move(phase));
  }
  return report;
}

} // namespace postrider::app
