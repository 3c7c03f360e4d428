#include "app/bench/backlog.hpp"
#include "app/bench/measured_work.hpp"
#include "app/bench/payload.hpp"
#include "app/bench/scenarios.hpp"

#include <fmt/format.h>

namespace postrider::app {

namespace {

constexpr const char* shared_type = "bench.fan";

} // namespace

void set_up(const fanout_options& options, stage_options& stage) {
  stage.groups = {{.count = options.endpoints, .type = shared_type}};
  stage.fan_out = true;
}

bench_report bench_fanout(bench_stage& stage, const fanout_options& options) {
  auto report = stage.start_report("fanout");
  report.settings.emplace_back("events", std::to_string(options.events));
  stage.start_at_work();
  const load_targets to{{bench_stage::tenant, shared_type}};
  std::uint64_t deliveries = 0;
  for (std::uint64_t i = 0; i < options.events; ++i) {
    const auto name = fmt::format("event {}", i + 1);
    deliveries += options.endpoints;
    stage.receiver().measure_from(monotonic_now());
    auto phase = measure_work(
        stage, name, [&] { write_backlog(stage, to, i, 1); },
        [&] { return stage.wait_until_delivered(deliveries, name); });
    phase.latencies.emplace_back("arrived", stage.receiver().latencies());
    report.verdicts.push_back(
        {fmt::format("settled within {} ms", options.within.count()), name,
         phase.used.seconds * 1e6,
         phase.used.seconds
             <= std::chrono::duration<double>(options.within).count()});
    report.phases.push_back(std::move(phase));
  }
  auto& last = report.phases.back();
  stage.judge(deliveries, report, last);
  stage.stop_node();
  stage.judge_attempts(report, last);
  return report;
}

} // namespace postrider::app
