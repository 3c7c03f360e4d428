#include "app/bench/backlog.hpp"
#include "app/bench/measured_work.hpp"
#include "app/bench/scenarios.hpp"

#include <cmath>

namespace postrider::app {

bench_report bench_deliver(bench_stage& stage, const deliver_options& options) {
  auto report = stage.start_report("deliver");
  report.settings.emplace_back("events", std::to_string(options.events));
  stage.start_node(); // early, for it may refuse its configuration
  const auto written = write_backlog(stage, stage.targets(), 0, options.events);
  stage.settle();
  stage.pause(std::chrono::milliseconds{300});
  auto phase = measure_work(
      stage, "deliver", [&] { stage.node().go(); },
      [&] { return stage.wait_until_delivered(options.events, "delivering"); });
  stage.judge(options.events, report, phase);
  phase.facts.emplace_back("backlog_written_per_second",
                           static_cast<std::uint64_t>(std::llround(written)));
  report.phases.push_back(std::move(phase));
  return report;
}

} // namespace postrider::app
