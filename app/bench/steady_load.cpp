#include "app/bench/steady_load.hpp"

#include "app/bench/payload.hpp"
#include "app/bench/progress.hpp"

#include <fmt/format.h>

#include <cmath>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t lead = 100'000; // µs from the decision to the first

std::int64_t micros(std::chrono::milliseconds time) {
  return std::chrono::microseconds{time}.count();
}

std::uint64_t count_of(const steady_options& options) {
  const auto seconds =
      std::chrono::duration<double>(options.warm_up + options.duration).count();
  return static_cast<std::uint64_t>(std::llround(options.rate * seconds));
}

} // namespace

steady_load::steady_load(bench_stage& stage, const steady_options& options)
    : measured_{monotonic_now() + lead + micros(options.warm_up)},
      end_{measured_ + micros(options.duration)},
      planned_{count_of(options)},
      plan_{options.first, planned_, options.rate,
            measured_ - micros(options.warm_up)},
      tally_{measured_} {
  load_options how;
  how.targets = options.targets;
  how.payload = stage.options().payload;
  how.connections = options.connections;
  how.open_loop = true;
  if (options.sql)
    sql_ = std::make_unique<sql_load>(stage.database_url(), how, plan_, tally_);
  else
    http_ = std::make_unique<http_load>(stage.node().api_url(), stage.api_key(),
                                        how, plan_, tally_);
}

bench_phase measure_steady(bench_stage& stage, const std::string& name,
                           steady_load& load, bench_report& report,
                           const std::function<bool()>& wanted) {
  stage.receiver().measure_from(load.measured());
  bench_phase phase;
  phase.name = name;
  {
    progress bar{name, load.planned()};
    while (monotonic_now() < load.measured())
      stage.pause(5ms);
    auto meter = stage.start_meter();
    const auto before = stage.receiver().totals().unique;
    const auto began = monotonic_now();
    while (monotonic_now() < load.end() && (!wanted || wanted())) {
      bar.show(load.tally().counts().accepted);
      stage.pause(20ms);
    }
    phase.count = stage.receiver().totals().unique - before;
    phase.used = meter.stop(static_cast<double>(monotonic_now() - began) / 1e6);
    load.finish();
    while (!load.done())
      stage.pause(5ms);
  }
  const auto counts = load.tally().counts();
  phase.facts = {{"sent", counts.accepted + counts.refused + counts.failed},
                 {"refused", counts.refused},
                 {"failed", counts.failed}};
  judge_load(load.tally(), name, report);
  return phase;
}

std::uint64_t add_steady_phase(bench_stage& stage, const std::string& name,
                               steady_load& load, bench_report& report,
                               std::uint64_t before) {
  auto phase = measure_steady(stage, name, load, report);
  const auto accepted = before + load.tally().counts().accepted;
  stage.wait_until_delivered(accepted, "waiting for the last");
  add_latencies(stage, load, phase);
  report.phases.push_back(std::move(phase));
  return accepted;
}

void judge_load(const load_tally& tally, const std::string& name,
                bench_report& report) {
  const auto counts = tally.counts();
  if (counts.failed > 0)
    report.faults.push_back(fmt::format("{}: {} events failed, such as {}",
                                        name, counts.failed, counts.trouble));
}

void add_latencies(bench_stage& stage, const steady_load& load,
                   bench_phase& phase) {
  phase.latencies.emplace_back("accepted", load.tally().latencies());
  phase.latencies.emplace_back("arrived", stage.receiver().latencies());
}

} // namespace postrider::app
