#pragma once

#include "app/bench/run_bench.hpp"
#include "app/bench/scenarios.hpp"
#include "app/commands/bench_options.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace postrider::app {

/// What the command line gives to one benchmark.
template <class Options>
struct given {
  bench_options all;
  Options own;
};

/// Makes the command run this benchmark, on the stage that it wants.
template <class Options>
void run_with(CLI::App& command, action& chosen,
              const std::shared_ptr<given<Options>>& options,
              bench_report (*work)(bench_stage&, const Options&)) {
  command.callback([&chosen, options, work] {
    chosen = [options, work] {
      set_up(options->own, options->all.stage);
      return run_checked_bench(options->all,
                               [options, work](bench_stage& stage) {
                                 return work(stage, options->own);
                               });
    };
  });
}

/// A whole number from 1 on.
CLI::Option* add_count(CLI::App& command, const std::string& name, auto& into,
                       std::uint64_t most, const std::string& description) {
  return command.add_option(name, into, description)
      ->check(CLI::Range(std::uint64_t{1}, most))
      ->type_name("N")
      ->capture_default_str();
}

/// So many a second.
inline void add_rate(CLI::App& command, const std::string& name, double& into,
                     const std::string& description) {
  command.add_option(name, into, description)
      ->check(CLI::Range(0.1, 1e5))
      ->type_name("N")
      ->capture_default_str();
}

inline CLI::Option* add_percent(CLI::App& command, const std::string& name,
                                double& into, double most,
                                const std::string& description) {
  return command.add_option(name, into, description)
      ->check(CLI::Range(0.0, most))
      ->type_name("PERCENT")
      ->capture_default_str();
}

/// `--by`: how producers publish.
inline void add_way(CLI::App& command, bool& sql) {
  command
      .add_option_function<std::string>(
          "--by", [&sql](const std::string& way) { sql = way == "sql"; },
          "http or sql; one event in each request or transaction")
      ->check(CLI::IsMember({"http", "sql"}));
}

} // namespace postrider::app
