#include "app/commands/options.hpp"

#include "config/load.hpp"
#include "core/retry.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace postrider::app {

void add_config_option(CLI::App& command, std::string& file) {
  command.add_option("-c,--config", file, "The configuration file")
      ->envname("POSTRIDER_CONFIG")
      ->type_name("FILE");
}

CLI::Option* add_duration_option(CLI::App& command, const std::string& name,
                                 std::chrono::milliseconds& into,
                                 const std::string& description) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &into](const std::string& text) {
            const auto wait = parse_duration(text);
            if (!wait)
              throw CLI::ValidationError{
                  name,
                  fmt::format("\"{}\" is not a duration (write 250ms, 15s, 5m)",
                              text)};
            into = *wait;
          },
          description)
      ->type_name("DURATION");
}

std::optional<config::config> load_config(const std::string& file) {
  auto loaded = config::load(file, config::process_environment());
  const auto* faults = std::get_if<std::vector<config::fault>>(&loaded);
  if (!faults)
    return std::get<config::config>(std::move(loaded));
  for (const auto& one : *faults)
    fmt::print(stderr, "{}\n", config::to_string(one));
  fmt::print(stderr, "{} error{}; nothing was started\n", faults->size(),
             faults->size() == 1 ? "" : "s");
  return std::nullopt;
}

void complain(const std::string& what) {
  fmt::print(stderr, "postrider: {}\n", what);
}

} // namespace postrider::app
