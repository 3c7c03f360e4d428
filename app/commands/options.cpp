#include "app/commands/options.hpp"

#include "config/load.hpp"
#include "config/nearest.hpp"
#include "core/retry.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>

namespace postrider::app {

void add_config_option(CLI::App& command, std::string& file) {
  command.add_option("-c,--config", file, "The configuration file")
      ->envname("POSTRIDER_CONFIG")
      ->type_name("FILE");
}

void add_set_option(CLI::App& command, std::vector<std::string>& settings) {
  command
      .add_option("--set", settings,
                  "Set one key, over the file and the environment")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
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

CLI::Validator one_of(std::vector<std::string> words) {
  auto shown = fmt::format("{{{}}}", fmt::join(words, ","));
  return {[words = std::move(words)](const std::string& given) -> std::string {
            if (std::find(words.begin(), words.end(), given) != words.end())
              return {};
            return fmt::format("\"{}\" is not one of {}{}", given,
                               fmt::join(words, ", "),
                               config::did_you_mean(given, words));
          },
          std::move(shown)};
}

CLI::Validator number_or_none() {
  return {[](const std::string& given) -> std::string {
            double number = 0;
            const auto* end = given.data() + given.size();
            const auto [stop, fault] =
                std::from_chars(given.data(), end, number);
            if (given == "none"
                || (fault == std::errc{} && stop == end && number > 0
                    && std::isfinite(number)))
              return {};
            return fmt::format("\"{}\" is no number (write 20, 0.5 or none)",
                               given);
          },
          ""};
}

std::optional<config::config> load_config(const std::string& file) {
  auto read = config::read({file, config::process_environment(), {}});
  if (read.faults.empty())
    return std::move(read.whole);
  // A command that does not serve need not repeat what is doubtful.
  read.warnings.clear();
  print_faults(read, "nothing was started");
  return std::nullopt;
}

void print_faults(const config::reading& read, std::string_view what_follows) {
  for (const auto& one : read.warnings)
    fmt::print(stderr, "{}\n", config::to_string(one));
  for (const auto& one : read.faults)
    fmt::print(stderr, "{}\n", config::to_string(one));
  const auto count =
      config::count_faults(read.faults.size(), read.warnings.size());
  if (!count.empty())
    fmt::print(stderr, "{}{}{}\n", count, what_follows.empty() ? "" : "; ",
               what_follows);
}

void complain(const std::string& what) {
  fmt::print(stderr, "postrider: {}\n", what);
}

} // namespace postrider::app
