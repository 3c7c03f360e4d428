#pragma once

#include "app/bench/bench_report.hpp"

#include <optional>
#include <string>

namespace postrider::app {

/// A bound on a metric of a run, such as `p99<50ms`.
struct bench_assertion {
  std::string text;
  std::string metric;
  std::string relation; ///< `<`, `<=`, `>`, `>=`
  double bound = 0;     ///< µs, a second, bytes: the unit of the metric
};

/// What is wrong with the text; empty when it was read into `into`.
///
/// Metrics: `rate` (per second), `p50` `p90` `p99` `p99.9` `max` (of the
/// phase's last latency; with the unit us, ms or s), `cpu` (µs for one),
/// `memory` (with KiB, MiB or GiB), both of all processes or, as `cpu.node`,
/// of `node`, `postgresql`, `receiver` or `load`; `wal` (bytes for one).
std::string parse_assertion(const std::string& text, bench_assertion& into);

/// Holds it against every phase that has the metric; a verdict that is not met
/// when none has.
void judge_assertion(const bench_assertion& one, bench_report& report);

} // namespace postrider::app
