#include "app/bench/run_bench.hpp"

#include "app/exit_code.hpp"
#include "store/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

namespace postrider::app {

namespace {

int report_on(bench_stage& stage, const bench_options& options,
              const scenario& work) {
  auto report = work(stage);
  for (const auto& one : options.assertions)
    judge_assertion(one, report);
  if (options.base)
    compare(*options.base, options.tolerance, report);
  std::fputs(to_text(report).c_str(), stdout);
  std::fflush(stdout);
  if (!options.report_file.empty()) {
    std::ofstream file{options.report_file};
    file << to_json(report);
    file.close();
    if (!file)
      throw std::runtime_error{
          fmt::format("can't write {}", options.report_file)};
  }
  return report.good() ? exit_done : exit_not_met;
}

} // namespace

int run_bench(const bench_options& options, const scenario& work) {
  try {
    bench_stage stage{options.stage};
    return report_on(stage, options, work);
  } catch (const interrupted&) {
    fmt::print(stderr, "interrupted: nothing was measured\n");
    return exit_interrupted;
  } catch (const refused_database& fault) {
    fmt::print(stderr, "postrider: {}\n", fault.what());
    return exit_refused;
  } catch (const store::error& fault) {
    if (fault.what_kind() != store::error::kind::transient)
      throw;
    fmt::print(stderr, "postrider: the database is not reachable: {}\n",
               fault.what());
    return exit_unreachable;
  }
}

} // namespace postrider::app
