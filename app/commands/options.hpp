#pragma once

#include "config/load.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
} // namespace CLI

namespace postrider::app {

/// `-c, --config FILE`, or `POSTRIDER_CONFIG`.
void add_config_option(CLI::App& command, std::string& file);

/// `--set KEY=VALUE`, as often as wanted.
void add_set_option(CLI::App& command, std::vector<std::string>& settings);

/// An option that takes a duration such as `250ms` or `15s`; `into` is
/// written while the command line is read.
CLI::Option* add_duration_option(CLI::App& command, const std::string& name,
                                 std::chrono::milliseconds& into,
                                 const std::string& description);

/// A word of these; a mistyped one is told with the nearest.
CLI::Validator one_of(std::vector<std::string> words);

/// A number above zero, or `none`.
CLI::Validator number_or_none();

/// Loads the configuration; prints every fault to standard error and returns
/// nothing when there are any.
std::optional<config::config> load_config(const std::string& file);

/// Prints every fault and warning to standard error, and at their end how many
/// there are and what follows, such as "nothing was started".
void print_faults(const config::reading& read, std::string_view what_follows);

/// Says on standard error what went wrong.
void complain(const std::string& what);

} // namespace postrider::app
