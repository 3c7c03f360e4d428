#pragma once

#include <cstddef>
#include <string>

namespace postrider::config {

/// Something that is wrong with the configuration, or is only doubtful.
struct fault {
  /// `file:line:column`, the variable of the environment, or the option.
  std::string where;
  /// What is wrong and what would be right. Holds no secret.
  std::string what;
  /// The line of the file and a caret under the place; empty when there is
  /// none to show.
  std::string excerpt = {};
  /// The key as in `delivery.lease`; empty when it is about none.
  std::string key = {};
  /// Doubtful: it may stand, unless one is strict.
  bool warning = false;
};

/// A fault as it is printed: `where: error: what`, then the excerpt.
std::string to_string(const fault& found);

/// `2 errors, 1 warning`; empty when there are none.
std::string count_faults(std::size_t errors, std::size_t warnings);

} // namespace postrider::config
