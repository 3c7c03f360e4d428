#pragma once

#include "config/config.hpp"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace postrider::config {

/// One fault of a file: `file:line:column`, what is wrong, what would be
/// right.
struct fault {
  std::string where;
  std::string what;
  /// The line of the file and a caret under the place; empty when there is
  /// none to show.
  std::string excerpt = {};
};

/// A fault as it is printed: `where: error: what`, then the excerpt.
std::string to_string(const fault& found);

using environment = std::function<std::optional<std::string>(std::string)>;

/// Defaults, then the file (if any), then `POSTRIDER_<SECTION>__<KEY>`. All
/// faults are collected: unknown keys (with the nearest known one), wrong
/// types, values out of range, both of a secret and its `_file` twin.
std::variant<config, std::vector<fault>> load(const std::string& path,
                                              const environment& env);

/// The process's environment.
environment process_environment();

} // namespace postrider::config
