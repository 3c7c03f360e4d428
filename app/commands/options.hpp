#pragma once

#include "config/config.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace postrider::app {

/// `-c, --config FILE`, or `POSTRIDER_CONFIG`.
void add_config_option(CLI::App& command, std::string& file);

/// An option that takes a duration such as `250ms` or `15s`; `into` is
/// written while the command line is read.
CLI::Option* add_duration_option(CLI::App& command, const std::string& name,
                                 std::chrono::milliseconds& into,
                                 const std::string& description);

/// Loads the configuration; prints every fault to standard error and returns
/// nothing when there are any.
std::optional<config::config> load_config(const std::string& file);

/// Says on standard error what went wrong.
void complain(const std::string& what);

} // namespace postrider::app
