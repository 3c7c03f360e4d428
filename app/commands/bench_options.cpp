#include "app/commands/bench_options.hpp"

#include "app/commands/options.hpp"
#include "app/exit_code.hpp"

#include <CLI/CLI.hpp>

#include <utility>

namespace postrider::app {

CLI::Validator arrival_fault_name() {
  return CLI::IsMember({"none", "drop", "repeat", "reorder", "forge"});
}

void add_bench_options(CLI::App& command, bench_options& into,
                       bool with_endpoints) {
  auto& stage = into.stage;
  if (with_endpoints)
    command.add_option("--endpoints", stage.endpoints, "So many receive")
        ->check(CLI::Range(1, 100'000))
        ->type_name("N")
        ->capture_default_str();
  command.add_option("--payload", stage.payload, "Bytes of JSON in an event")
      ->check(CLI::Range(64, 200'000))
      ->type_name("BYTES")
      ->capture_default_str();
  command
      .add_option("--verify-every", stage.verify_every,
                  "Check every Nth signature; 0: none")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--database-url-file", stage.database_url_file,
                  "Work on the database whose URL this file holds (else on a "
                  "private one)")
      ->type_name("FILE");
  command.add_flag("--among-foreign-data", stage.among_foreign,
                   "Even when it holds events of other tenants");
  command
      .add_option("--dir", stage.folder,
                  "Keep the private database here (else it is temporary)")
      ->type_name("DIR");
  add_config_option(command, stage.config_file);
  add_set_option(command, stage.settings);
  command.add_option("--report", into.report_file, "Write the results as JSON")
      ->type_name("FILE");
  command
      .add_option_function<std::vector<std::string>>(
          "--assert",
          [&into](const std::vector<std::string>& texts) {
            for (const auto& text : texts) {
              bench_assertion one;
              if (const auto wrong = parse_assertion(text, one); !wrong.empty())
                throw CLI::ValidationError{"--assert", wrong};
              into.assertions.push_back(one);
            }
          },
          "Fail unless it holds: a figure such as p99, rate or cpu.node "
          "against a bound")
      ->type_name("METRIC<BOUND");
  auto* compared =
      command
          .add_option_function<std::string>(
              "--compare",
              [&into, name = command.get_name()](const std::string& file) {
                bench_base base;
                if (const auto wrong = read_base(file, base); !wrong.empty())
                  throw CLI::ValidationError{"--compare", wrong};
                if (base.scenario != name)
                  throw CLI::ValidationError{"--compare",
                                             file + " is of `bench "
                                                 + base.scenario + "`"};
                into.base = std::move(base);
              },
              "Fail when CPU, WAL or the node's memory is above that of this "
              "report")
          ->type_name("FILE");
  command
      .add_option("--tolerance", into.tolerance,
                  "By more than so much, with --compare")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("PERCENT")
      ->capture_default_str()
      ->needs(compared);
  command
      .add_option_function<std::string>("--receiver-fault",
                                        [&stage](const std::string& name) {
                                          stage.fault =
                                              *parse_arrival_fault(name);
                                        })
      ->check(arrival_fault_name())
      ->group("");
  command.add_option("--fault-seed", stage.seed)->group("");
}

int run_checked_bench(const bench_options& options, const scenario& work) {
  const auto read =
      config::read({options.stage.config_file, config::process_environment(),
                    options.stage.settings});
  if (!read.faults.empty()) {
    print_faults(read, "nothing was started");
    return exit_config;
  }
  return run_bench(options, work);
}

} // namespace postrider::app
