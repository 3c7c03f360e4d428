#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace postrider::config {

/// A value that is none of those that a key can take; `name` is for the
/// message: "a boolean", "a section".
struct other_value {
  std::string name;
};

/// One value of a list.
using item = std::variant<std::string, std::int64_t, double, other_value>;

/// What is written behind a key.
using value = std::variant<std::string, std::int64_t, double, std::vector<item>,
                           other_value>;

} // namespace postrider::config
