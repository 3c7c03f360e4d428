#pragma once

#include "app/bench/log_histogram.hpp"
#include "app/bench/meter.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace postrider::app {

/// One measured part of a run.
struct bench_phase {
  std::string name;
  std::string unit = "deliveries"; ///< what `count` counts
  std::uint64_t count = 0;
  costs used;
  /// By what they are the latency of; µs.
  std::vector<std::pair<std::string, log_histogram>> latencies;
  /// Further facts, such as how many signatures were looked at.
  std::vector<std::pair<std::string, std::uint64_t>> facts;

  double rate() const {
    return used.seconds > 0 ? static_cast<double>(count) / used.seconds : 0;
  }
  /// CPU µs for one of `count`.
  double each(double cpu_seconds) const {
    return count > 0 ? cpu_seconds * 1e6 / static_cast<double>(count) : 0;
  }
};

/// Whether an `--assert` was met.
struct bench_verdict {
  std::string text;
  std::string phase;
  double value = 0; ///< in the unit of the metric
  bool met = false;
};

/// A figure of an earlier run beside that of this one.
struct bench_compared {
  std::string phase;
  std::string figure;
  double base = 0;
  double now = 0;
  double ratio = 1; ///< of now to base
};

struct bench_report {
  std::string scenario;
  std::vector<std::pair<std::string, std::string>> settings;
  std::map<std::string, std::string> postgresql;
  std::vector<bench_phase> phases;
  /// What makes the run a failure: losses, duplicates, inversions, ….
  std::vector<std::string> faults;
  std::vector<bench_verdict> verdicts;
  std::vector<bench_compared> compared; ///< empty without `--compare`

  bool good() const;
};

/// For a terminal.
std::string to_text(const bench_report& report);
/// For `--report`; see docs/benchmarks.md.
std::string to_json(const bench_report& report);

/// The commit that the program was built from; `unknown` outside a clone.
std::string commit();

} // namespace postrider::app
