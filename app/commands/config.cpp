#include "app/commands/command.hpp"
#include "app/commands/config_client.hpp"
#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "config/docs.hpp"
#include "config/reference.hpp"
#include "config/schema.hpp"
#include "config/show.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace postrider::app {

namespace {

/// A verb that prints a text made from the table of keys.
void add_text(CLI::App& config, action& chosen, const std::string& name,
              const std::string& description, const std::string& example,
              std::string (*text)()) {
  auto* verb = config.add_subcommand(name, description);
  verb->footer("EXAMPLES\n  postrider config " + example);
  verb->callback([&chosen, text] {
    chosen = [text] {
      std::fputs(text().c_str(), stdout);
      return exit_done;
    };
  });
}

struct show_options {
  std::string file;
  std::vector<std::string> settings;
};

int show(const show_options& options) {
  const auto read = config::read(
      {options.file, config::process_environment(), options.settings});
  if (!read.faults.empty()) {
    print_faults(read, "nothing was applied");
    return exit_config;
  }
  fmt::print("{}", config::show(read));
  return exit_done;
}

void add_show(CLI::App& config, action& chosen) {
  auto* verb = config.add_subcommand(
      "show", "Print every value and where it was set, without secrets");
  auto options = std::make_shared<show_options>();
  add_config_option(*verb, options->file);
  add_set_option(*verb, options->settings);
  verb->footer("Of this machine's file and environment; a running node's:\n"
               "GET /v1/config.\n\n"
               "EXAMPLES\n"
               "  postrider config show --config postrider.toml");
  verb->callback(
      [&chosen, options] { chosen = [options] { return show(*options); }; });
}

} // namespace

void add_config(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand("config", "About the configuration");
  command->require_subcommand(1);
  add_show(*command, chosen);
  add_config_client(*command, chosen);
  add_text(*command, chosen, "example",
           "Print every key with its default and what it is for",
           "example > postrider.toml", config::reference_file);
  add_text(*command, chosen, "schema", "Print the JSON Schema of the file",
           "schema > postrider.schema.json", config::json_schema);
  add_text(*command, chosen, "docs", "Print docs/configuration.md",
           "docs > docs/configuration.md", config::documentation);
}

} // namespace postrider::app
