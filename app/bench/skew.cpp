#include "app/bench/isolation.hpp"
#include "app/bench/steady_load.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

steady_options part_of(const skew_options& options, double percent) {
  steady_options how;
  how.rate = options.rate * percent / 100;
  how.sql = options.sql;
  how.duration = options.duration;
  how.warm_up = std::min<std::chrono::milliseconds>(3s, options.duration / 2);
  return how;
}

} // namespace

void set_up(const skew_options& options, stage_options& stage) {
  const bool tenant = options.hot_endpoints > 1;
  stage.groups = {{.count = options.endpoints},
                  {.tenant = bench_stage::tenants()[tenant ? 1 : 0],
                   .count = options.hot_endpoints}};
}

bench_report bench_skew(bench_stage& stage, const skew_options& options) {
  auto report = stage.start_report("skew");
  report.settings.emplace_back("hot_endpoints",
                               std::to_string(options.hot_endpoints));
  report.settings.emplace_back("hot", fmt::format("{:g} %", options.hot));
  report.settings.emplace_back("loop",
                               fmt::format("open at {:g}/s", options.rate));
  report.settings.emplace_back("by", options.sql ? "sql" : "http");
  report.settings.emplace_back("duration",
                               fmt::format("{}ms", options.duration.count()));
  stage.receiver().watch(options.endpoints);
  auto others = part_of(options, 100 - options.hot);
  others.targets = stage.targets(0, options.endpoints);
  stage.start_at_work();
  steady_load alone{stage, others};
  auto accepted = add_steady_phase(stage, "alone", alone, report, 0);
  stage.stop_node();

  stage.start_at_work();
  auto hot = part_of(options, options.hot);
  hot.targets = stage.targets(options.endpoints);
  hot.first = alone.planned();
  steady_load crowd{stage, hot};
  others.first = hot.first + crowd.planned();
  steady_load beside{stage, others};
  auto phase = measure_steady(stage, "beside the hot one", beside, report);
  crowd.finish();
  while (!crowd.done())
    stage.pause(5ms);
  judge_load(crowd.tally(), "the hot one", report);
  const auto crowded = crowd.tally().counts();
  phase.facts.emplace_back("hot_sent", crowded.accepted);
  phase.facts.emplace_back("hot_refused", crowded.refused);
  accepted += crowded.accepted + beside.tally().counts().accepted;
  stage.wait_until_delivered(accepted, "waiting for the last");
  add_latencies(stage, beside, phase);
  bench_phase whole;
  whole.name = "all";
  stage.judge(accepted, report, whole,
              {&alone.tally(), &crowd.tally(), &beside.tally()});
  stage.stop_node();
  stage.judge_attempts(report, whole);
  phase.facts.insert(phase.facts.end(), whole.facts.begin(), whole.facts.end());
  report.phases.push_back(std::move(phase));
  judge_delay("alone", options.bounds, report);
  return report;
}

} // namespace postrider::app
