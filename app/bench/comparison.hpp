#pragma once

#include "app/bench/bench_report.hpp"

#include <string>
#include <utility>
#include <vector>

namespace postrider::app {

/// What an earlier run has measured, of its `--report`.
struct bench_base {
  struct figure {
    std::string phase;
    std::string name; ///< such as `cpu.node`
    double value = 0;
  };
  std::string scenario;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<figure> figures;
};

/// What is wrong with the file; empty when it was read into `into`.
std::string read_base(const std::string& file, bench_base& into);

/// Holds the report against it, phase by phase. CPU for one, WAL for one and
/// the node's memory change little with the speed of a machine: each may be
/// this many percent higher. Rates and latencies are told beside them. That
/// nothing could be compared is a fault, and so is each phase of the base that
/// is missing.
void compare(const bench_base& base, double tolerance, bench_report& report);

} // namespace postrider::app
