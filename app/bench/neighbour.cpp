#include "app/bench/backlog.hpp"
#include "app/bench/isolation.hpp"
#include "app/bench/steady_load.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t steady_tenants = 9;
constexpr std::size_t endpoints_each = 2;
constexpr std::size_t steady_endpoints = steady_tenants * endpoints_each;

steady_options steady_part(bench_stage& stage, const neighbour_options& options,
                           std::uint64_t first) {
  steady_options how;
  how.targets = stage.targets(0, steady_endpoints);
  how.first = first;
  how.rate = options.rate * steady_tenants;
  how.sql = options.sql;
  how.duration = options.duration;
  how.warm_up = std::min<std::chrono::milliseconds>(3s, options.duration / 2);
  return how;
}

} // namespace

void set_up(const neighbour_options& options, stage_options& stage) {
  stage.groups.clear();
  for (std::size_t i = 1; i <= steady_tenants; ++i)
    stage.groups.push_back(
        {.tenant = bench_stage::tenants()[i], .count = endpoints_each});
  stage.groups.push_back({.count = options.endpoints});
}

bench_report bench_neighbour(bench_stage& stage,
                             const neighbour_options& options) {
  auto report = stage.start_report("neighbour");
  report.settings.emplace_back("backlog", std::to_string(options.backlog));
  report.settings.emplace_back(
      "loop", fmt::format("open at {:g}/s of each of nine", options.rate));
  report.settings.emplace_back("by", options.sql ? "sql" : "http");
  report.settings.emplace_back("duration",
                               fmt::format("{}ms", options.duration.count()));
  stage.start_at_work();
  steady_load alone{stage, steady_part(stage, options, 0)};
  auto accepted = add_steady_phase(stage, "alone", alone, report, 0);
  stage.stop_node();

  auto number = alone.planned();
  write_backlog(stage, stage.targets(steady_endpoints), number,
                options.backlog);
  number += options.backlog;
  stage.start_at_work();
  steady_load beside{stage, steady_part(stage, options, number)};
  const auto backlog_left = [&] {
    const auto delivered = stage.receiver().totals().unique - accepted;
    return options.backlog - std::min(delivered, options.backlog);
  };
  auto phase = measure_steady(stage, "beside a backlog", beside, report,
                              [&] { return backlog_left() > 0; });
  phase.facts.emplace_back("backlog_left", backlog_left());
  accepted += options.backlog + beside.tally().counts().accepted;
  stage.wait_until_delivered(accepted, "delivering the backlog");
  add_latencies(stage, beside, phase);
  bench_phase whole;
  whole.name = "all";
  stage.judge(accepted, report, whole, {&alone.tally(), &beside.tally()});
  stage.stop_node();
  stage.judge_attempts(report, whole);
  phase.facts.insert(phase.facts.end(), whole.facts.begin(), whole.facts.end());
  report.phases.push_back(std::move(phase));
  judge_delay("alone", options.bounds, report);
  return report;
}

} // namespace postrider::app
