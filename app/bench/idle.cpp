#include "app/bench/isolation.hpp"
#include "app/bench/process_usage.hpp"
#include "app/bench/steady_load.hpp"
#include "store/bench_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

/// One node with a steady load; what it has resident at the end.
std::int64_t part(bench_stage& stage, const std::string& name,
                  steady_options how, bench_report& report,
                  std::vector<std::unique_ptr<steady_load>>& loads,
                  std::uint64_t& accepted) {
  stage.start_at_work();
  if (!loads.empty())
    how.first = loads.back()->planned();
  loads.push_back(std::make_unique<steady_load>(stage, how));
  accepted = add_steady_phase(stage, name, *loads.back(), report, accepted);
  return resident_memory(stage.node().pid());
}

} // namespace

void set_up(const idle_options& options, stage_options& stage) {
  stage.groups = {{.count = options.endpoints}};
}

bench_report bench_idle(bench_stage& stage, const idle_options& options) {
  auto report = stage.start_report("idle");
  report.settings.emplace_back("idle", std::to_string(options.idle));
  report.settings.emplace_back("loop",
                               fmt::format("open at {:g}/s", options.rate));
  report.settings.emplace_back("duration",
                               fmt::format("{}ms", options.duration.count()));
  steady_options how;
  how.targets = stage.targets();
  how.rate = options.rate;
  how.duration = options.duration;
  how.warm_up = std::min<std::chrono::milliseconds>(3s, options.duration / 2);
  std::vector<std::unique_ptr<steady_load>> loads;
  std::uint64_t accepted = 0;
  const auto alone = part(stage, "alone", how, report, loads, accepted);
  stage.stop_node();
  store::bench_rows rows{stage.database_url()};
  rows.make_idle({bench_stage::tenant, stage.receiver().url(0), options.idle,
                  stage.secret_key()});
  const auto beside =
      part(stage, "beside idle endpoints", how, report, loads, accepted);
  bench_phase whole;
  whole.name = "all";
  stage.judge(accepted, report, whole,
              {&loads[0]->tally(), &loads[1]->tally()});
  stage.stop_node();
  stage.judge_attempts(report, whole);
  rows.remove_idle(bench_stage::tenant);
  auto& phase = report.phases.back();
  phase.facts.insert(phase.facts.end(), whole.facts.begin(), whole.facts.end());
  const auto each = std::max<std::int64_t>(beside - alone, 0)
                    / static_cast<std::int64_t>(options.idle);
  phase.facts.emplace_back("node_bytes_alone",
                           static_cast<std::uint64_t>(alone));
  phase.facts.emplace_back("node_bytes_beside",
                           static_cast<std::uint64_t>(beside));
  phase.facts.emplace_back("bytes_each", static_cast<std::uint64_t>(each));
  report.verdicts.push_back(
      {fmt::format("idle endpoint within {} bytes", options.most_bytes),
       phase.name, static_cast<double>(each), each <= options.most_bytes});
  judge_delay("alone", options.bounds, report);
  return report;
}

} // namespace postrider::app
