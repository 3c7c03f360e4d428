#pragma once

#include "config/keys.hpp"
#include "config/value.hpp"

#include <optional>
#include <string>

namespace postrider::config {

/// What is wrong with a value and what would be right.
struct complaint {
  std::string what;
  /// The place in a list, from 0.
  std::optional<std::size_t> item = {};
};

/// Puts the value where the field points, or says why not; then the target is
/// unchanged. Secrets are not assigned here.
std::optional<complaint> assign(const field& where, const value& given);

/// The value that the text of an environment variable stands for: a number
/// where the field wants one, a list split at commas where it wants a list.
value from_text(const field& where, const std::string& text);

} // namespace postrider::config
