#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "app/node_config.hpp"
#include "config/show.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace postrider::app {

namespace {

struct check_options {
  std::string file;
  std::vector<std::string> settings;
  bool effective = false;
  bool strict = false;
};

int check(const check_options& options) {
  const auto read = read_node_config(
      {{options.file, config::process_environment(), options.settings},
       {},
       {}});
  print_faults(read, "nothing was applied");
  if (!read.faults.empty())
    return exit_config;
  if (options.effective)
    fmt::print("{}", config::show(read));
  if (options.strict && !read.warnings.empty())
    return exit_not_met;
  if (read.warnings.empty())
    fmt::print(stderr, "the configuration is good\n");
  return exit_done;
}

} // namespace

void add_check_config(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand(
      "check-config", "Read the configuration as serve does, tell all faults");
  auto options = std::make_shared<check_options>();
  // Either form names the file.
  command->add_option("file", options->file, "The configuration file")
      ->envname("POSTRIDER_CONFIG")
      ->type_name("FILE");
  command->add_option("-c,--config", options->file, "The same")
      ->type_name("FILE");
  add_set_option(*command, options->settings);
  command->add_flag("--effective", options->effective,
                    "Print every value and where it was set");
  command->add_flag("--strict", options->strict,
                    "Exit code 8 when there is a warning");
  command->footer("Exit code 3 when something is wrong.\n\n"
                  "EXAMPLES\n"
                  "  postrider check-config postrider.toml\n"
                  "  postrider check-config postrider.toml --effective "
                  "--strict");
  command->callback(
      [&chosen, options] { chosen = [options] { return check(*options); }; });
}

} // namespace postrider::app
