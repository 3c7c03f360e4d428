#include "app/bench/load_maker.hpp"
#include "app/bench/payload.hpp"
#include "app/bench/progress.hpp"
#include "app/bench/scenarios.hpp"

#include <fmt/format.h>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

std::string name_of(producer_way way) {
  constexpr const char* names[] = {"http", "http batch", "sql", "sql batch"};
  return names[static_cast<int>(way)];
}

bool batched(producer_way way) {
  return way == producer_way::http_batch || way == producer_way::sql_batch;
}

template <class Load>
void wait_for(bench_stage& stage, const Load& load, const load_tally& tally,
              progress& bar) {
  while (!load.done()) {
    bar.show(tally.counts().accepted);
    stage.pause(2ms);
  }
}

/// Numbers go on where the phase before has ended.
bench_phase accept(bench_stage& stage, const ingest_options& options,
                   producer_way way, std::uint64_t& number,
                   bench_report& report) {
  load_options how;
  how.targets = stage.targets();
  how.payload = stage.options().payload;
  how.connections = options.connections;
  how.batches = batched(way);
  bench_phase phase;
  phase.name = name_of(way);
  phase.unit = "events";
  load_plan plan{number, options.events, how.batches ? options.batch : 1};
  load_tally tally;
  progress bar{phase.name, options.events};
  auto meter = stage.start_meter();
  const auto began = monotonic_now();
  std::int64_t ended = 0;
  if (way == producer_way::http || way == producer_way::http_batch) {
    const http_load load{stage.node().api_url(), stage.api_key(), how, plan,
                         tally};
    wait_for(stage, load, tally, bar);
    ended = monotonic_now();
  } else {
    const sql_load load{stage.database_url(), how, plan, tally};
    wait_for(stage, load, tally, bar);
    ended = monotonic_now();
  }
  const auto counts = tally.counts();
  phase.used = meter.stop(static_cast<double>(ended - began) / 1e6);
  phase.count = counts.accepted;
  phase.latencies.emplace_back("accepted", tally.latencies());
  phase.facts = {{"refused", counts.refused}, {"failed", counts.failed}};
  if (counts.failed > 0)
    report.faults.push_back(fmt::format("{}: {} events failed, such as {}",
                                        phase.name, counts.failed,
                                        counts.trouble));
  number += options.events;
  return phase;
}

} // namespace

bench_report bench_ingest(bench_stage& stage, const ingest_options& options) {
  auto report = stage.start_report("ingest");
  report.settings.emplace_back("events", std::to_string(options.events));
  report.settings.emplace_back("batch", std::to_string(options.batch));
  report.settings.emplace_back("connections",
                               std::to_string(options.connections));
  report.settings.emplace_back("loop", "closed");
  stage.start_node();
  stage.database().keep_leases();
  stage.node().go();
  stage.pause(500ms);
  std::uint64_t number = 0;
  std::uint64_t accepted = 0;
  for (const auto way : options.ways) {
    stage.database().keep_leases();
    stage.settle();
    auto phase = accept(stage, options, way, number, report);
    accepted += phase.count;
    report.phases.push_back(std::move(phase));
  }
  const auto stored =
      static_cast<std::uint64_t>(stage.database().open(stage.endpoint_ids()));
  if (stored != accepted)
    report.faults.push_back(
        fmt::format("{} events were accepted, but {} deliveries are stored",
                    accepted, stored));
  auto meter = stage.start_meter();
  const auto began = monotonic_now();
  stage.database().free_leases();
  const auto end = stage.wait_until_delivered(accepted, "delivering them");
  bench_phase phase;
  phase.name = "delivering them";
  phase.used = meter.stop(static_cast<double>(end.at - began) / 1e6);
  phase.count = stage.receiver().totals().unique;
  stage.judge(accepted, report, phase);
  report.phases.push_back(std::move(phase));
  return report;
}

} // namespace postrider::app
