#pragma once

#include "app/bench/assertion.hpp"
#include "app/bench/bench_stage.hpp"
#include "app/bench/comparison.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace postrider::app {

struct bench_options {
  stage_options stage;
  std::string report_file;
  std::vector<bench_assertion> assertions;
  std::optional<bench_base> base; ///< to hold the report against
  double tolerance = 10;          ///< percent
};

using scenario = std::function<bench_report(bench_stage&)>;

/// Sets the stage, runs the scenario, prints and writes the report. Returns
/// the exit code: 8 when anything was lost, twice, out of order or badly
/// signed, or an assertion or comparison was not met; 4 when the database is
/// away, 6 when it is refused; 130 when the run was interrupted.
int run_bench(const bench_options& options, const scenario& work);

} // namespace postrider::app
