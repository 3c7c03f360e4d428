#include "app/bench/load_maker.hpp"
#include "app/bench/payload.hpp"
#include "app/bench/progress.hpp"
#include "app/bench/scenarios.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t lead = 100'000; // µs from the decision to the first

std::int64_t micros(std::chrono::milliseconds time) {
  return std::chrono::microseconds{time}.count();
}

std::uint64_t planned(const e2e_options& options) {
  if (options.rate <= 0)
    return std::numeric_limits<std::uint32_t>::max();
  const auto seconds =
      std::chrono::duration<double>(options.warm_up + options.duration).count();
  return static_cast<std::uint64_t>(std::llround(options.rate * seconds));
}

/// One of the two ways to send, under way.
struct running_load {
  std::unique_ptr<http_load> http;
  std::unique_ptr<sql_load> sql;

  bool done() const { return http ? http->done() : sql->done(); }
};

running_load start_load(bench_stage& stage, const e2e_options& options,
                        load_plan& plan, load_tally& tally) {
  load_options how;
  how.targets = stage.targets();
  how.payload = stage.options().payload;
  how.connections = options.connections;
  how.open_loop = options.rate > 0;
  running_load load;
  if (options.sql)
    load.sql =
        std::make_unique<sql_load>(stage.database_url(), how, plan, tally);
  else
    load.http = std::make_unique<http_load>(stage.node().api_url(),
                                            stage.api_key(), how, plan, tally);
  return load;
}

void note_load(const load_counts& counts, bench_report& report,
               bench_phase& phase) {
  phase.facts.emplace_back("sent",
                           counts.accepted + counts.refused + counts.failed);
  phase.facts.emplace_back("refused", counts.refused);
  phase.facts.emplace_back("failed", counts.failed);
  if (counts.failed > 0)
    report.faults.push_back(fmt::format("{} events failed, such as {}",
                                        counts.failed, counts.trouble));
}

} // namespace

bench_report bench_e2e(bench_stage& stage, const e2e_options& options) {
  auto report = stage.start_report("e2e");
  const bool open = options.rate > 0;
  report.settings.emplace_back(
      "loop", open ? fmt::format("open at {}/s", options.rate)
                   : fmt::format("closed, {} at a time", options.connections));
  report.settings.emplace_back("by", options.sql ? "sql" : "http");
  report.settings.emplace_back("duration",
                               fmt::format("{}ms", options.duration.count()));
  report.settings.emplace_back("warm_up",
                               fmt::format("{}ms", options.warm_up.count()));
  stage.settle();
  stage.start_node();
  stage.node().go();
  stage.wait_until_leased();
  const auto start = monotonic_now() + lead;
  const auto measured = start + micros(options.warm_up);
  const auto end = measured + micros(options.duration);
  stage.receiver().measure_from(measured);
  load_plan plan{0, planned(options), options.rate, start};
  load_tally tally{measured};
  bench_phase phase;
  phase.name = open ? "open loop" : "closed loop";
  {
    progress bar{phase.name, open ? planned(options) : 0};
    const auto load = start_load(stage, options, plan, tally);
    while (monotonic_now() < measured)
      stage.pause(5ms);
    auto meter = stage.start_meter();
    const auto before = stage.receiver().totals().unique;
    const auto began = monotonic_now();
    while (monotonic_now() < end) {
      bar.show(stage.receiver().totals().unique);
      stage.pause(20ms);
    }
    phase.count = stage.receiver().totals().unique - before;
    phase.used = meter.stop(static_cast<double>(monotonic_now() - began) / 1e6);
    if (!open)
      plan.end();
    while (!load.done())
      stage.pause(5ms);
  }
  const auto counts = tally.counts();
  stage.wait_until_delivered(counts.accepted, "waiting for the last");
  stage.judge(counts.accepted, report, phase, {&tally});
  phase.latencies.emplace_back("accepted", tally.latencies());
  phase.latencies.emplace_back("arrived", stage.receiver().latencies());
  note_load(counts, report, phase);
  report.phases.push_back(std::move(phase));
  return report;
}

} // namespace postrider::app
