#include "app/version.hpp"

#include "app/commands/command.hpp"
#include "app/exit_code.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace postrider::app {

void add_version(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand("version", "Print the version");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As one JSON document");
  command->footer("EXAMPLES\n"
                  "  postrider version\n"
                  "  postrider version --json");
  command->callback([&chosen, json] {
    chosen = [json] {
      if (*json)
        fmt::print("{{\"version\":\"{}\",\"compiler\":\"{}\"}}\n", version(),
                   __VERSION__);
      else
        fmt::print("postrider {}\n", version());
      return exit_done;
    };
  });
}

} // namespace postrider::app
