#include "app/commands/command.hpp"
#include "app/exit_code.hpp"
#include "config/reference.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace postrider::app {

void add_config(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand("config", "About the configuration");
  command->require_subcommand(1);
  auto* example = command->add_subcommand(
      "example", "Print every key with its default and what it is for");
  example->footer("EXAMPLES\n"
                  "  postrider config example > postrider.toml");
  example->callback([&chosen] {
    chosen = [] {
      std::fputs(config::reference_file().c_str(), stdout);
      return exit_done;
    };
  });
}

} // namespace postrider::app
