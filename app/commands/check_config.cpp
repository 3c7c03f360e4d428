#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/connect_check.hpp"
#include "app/exit_code.hpp"
#include "app/node_config.hpp"
#include "config/show.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace postrider::app {

namespace {

using grade = store::finding::grade;

struct check_options {
  std::string file;
  std::vector<std::string> settings;
  bool embedded = false;
  bool effective = false;
  bool connect = false;
  bool strict = false;
};

/// A line for each thing that is tried; the worst of them.
grade try_connections(const config::config& with) {
  auto worst = grade::good;
  for (const auto& one : check_connections(with)) {
    const auto* word = one.how == grade::good       ? "ok"
                       : one.how == grade::doubtful ? "warning"
                                                    : "error";
    fmt::print("{:<7}  {:<12}  {}\n", word, one.name, one.detail);
    worst = std::max(worst, one.how);
  }
  return worst;
}

int check(const check_options& options) {
  const config::sources from{options.file, config::process_environment(),
                             options.settings};
  // An embedded database needs no URL and makes its own keys.
  const auto read =
      options.embedded ? config::read(from) : read_node_config({from, {}, {}});
  print_faults(read, "nothing was applied");
  if (!read.faults.empty())
    return exit_config;
  if (options.effective)
    fmt::print("{}", config::show(read));
  const auto tried =
      options.connect ? try_connections(read.whole) : grade::good;
  if (tried == grade::bad)
    return exit_config;
  if (options.strict && (tried != grade::good || !read.warnings.empty()))
    return exit_not_met;
  if (read.warnings.empty() && !options.connect)
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
  command->add_flag("--embedded", options->embedded,
                    "For serve --embedded: no database and keys are needed");
  command->add_flag("--effective", options->effective,
                    "Print every value and where it was set");
  command->add_flag("--connect", options->connect,
                    "Try the database, the CA file, the addresses");
  command->add_flag("--strict", options->strict,
                    "Exit code 8 when there is a warning");
  command->footer("Exit code 3 when something is wrong.\n\n"
                  "EXAMPLES\n"
                  "  postrider check-config postrider.toml\n"
                  "  postrider check-config postrider.toml --effective "
                  "--strict\n"
                  "  postrider check-config postrider.toml --connect");
  command->callback(
      [&chosen, options] { chosen = [options] { return check(*options); }; });
}

} // namespace postrider::app
