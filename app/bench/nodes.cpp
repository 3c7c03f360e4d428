#include "app/bench/backlog.hpp"
#include "app/bench/measured_work.hpp"
#include "app/bench/scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

/// Publishes as fast as one producer can, while so many nodes deliver it.
bench_phase part(bench_stage& stage, std::size_t nodes, std::uint64_t first,
                 std::uint64_t events) {
  const auto name = fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s");
  stage.start_at_work(nodes);
  auto phase = measure_work(
      stage, name,
      [&] { write_backlog(stage, stage.targets(), first, events); },
      [&] { return stage.wait_until_delivered(first + events, name); });
  stage.stop_node();
  return phase;
}

} // namespace

void set_up(const nodes_options& options, stage_options& stage) {
  stage.groups = {{.count = options.endpoints}};
}

bench_report bench_nodes(bench_stage& stage, const nodes_options& options) {
  auto report = stage.start_report("nodes");
  report.settings.emplace_back("events", std::to_string(options.events));
  report.settings.emplace_back("nodes", std::to_string(options.nodes));
  report.phases.push_back(part(stage, 1, 0, options.events));
  auto phase = part(stage, options.nodes, options.events, options.events);
  stage.judge(2 * options.events, report, phase);
  stage.judge_attempts(report, phase);
  const auto& alone = report.phases.front();
  const auto percent = 100 * phase.each(phase.used.cpu())
                       / std::max(alone.each(alone.used.cpu()), 1e-9);
  phase.facts.emplace_back("cpu_percent_of_one_node",
                           static_cast<std::uint64_t>(percent));
  report.verdicts.push_back(
      {fmt::format("cpu each within {:g} % of one node's", options.tolerance),
       phase.name, percent, percent <= 100 + options.tolerance});
  report.phases.push_back(std::move(phase));
  return report;
}

} // namespace postrider::app
