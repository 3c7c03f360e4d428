#pragma once

#include "app/bench/bench_stage.hpp"
#include "app/bench/load_maker.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace postrider::app {

struct steady_options {
  load_targets targets;
  std::uint64_t first = 0; ///< number of the first event
  double rate = 100;       ///< events a second, over all targets
  bool sql = false;        ///< published in SQL, not over HTTP
  std::chrono::milliseconds duration{15'000}; ///< what is measured
  std::chrono::milliseconds warm_up{3'000};   ///< what is sent before that
  std::size_t connections = 32;
};

/// Events in an open loop beside whatever else goes on: sent from a moment
/// on, over and measured some time later. The node has to be at work.
class steady_load {
public:
  steady_load(bench_stage& stage, const steady_options& options);

  /// When what is measured begins and ends, on the monotonic clock.
  std::int64_t measured() const noexcept { return measured_; }
  std::int64_t end() const noexcept { return end_; }
  std::uint64_t planned() const noexcept { return planned_; }
  const load_tally& tally() const noexcept { return tally_; }
  bool done() const { return http_ ? http_->done() : sql_->done(); }
  /// No more events; what is under way may end.
  void finish() { plan_.end(); }

private:
  std::int64_t measured_;
  std::int64_t end_;
  std::uint64_t planned_;
  load_plan plan_;
  load_tally tally_;
  std::unique_ptr<http_load> http_;
  std::unique_ptr<sql_load> sql_;
};

/// Waits for the whole of a load: a phase of that name with the costs and the
/// number of what arrived while it was measured. Events that failed are faults
/// of the report. Latencies are whole only when all has arrived: see
/// `add_latencies`. Ends early once `wanted` says no.
bench_phase measure_steady(bench_stage& stage, const std::string& name,
                           steady_load& load, bench_report& report,
                           const std::function<bool()>& wanted = {});

/// Likewise, and waits until all that it sent has arrived, beside as many
/// deliveries before; adds the phase with its latencies to the report. How many
/// have arrived then.
std::uint64_t add_steady_phase(bench_stage& stage, const std::string& name,
                               steady_load& load, bench_report& report,
                               std::uint64_t before);

/// Events of a load that failed are faults of the report.
void judge_load(const load_tally& tally, const std::string& name,
                bench_report& report);

/// Of what was accepted and what arrived, measured by this load.
void add_latencies(bench_stage& stage, const steady_load& load,
                   bench_phase& phase);

} // namespace postrider::app
