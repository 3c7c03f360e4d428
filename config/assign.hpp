#pragma once

#include "config/keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace postrider::config {

/// A value that is none of those that a key can take; `name` is for the
/// message: "a boolean", "a table".
struct other_value {
  std::string name;
};

using value = std::variant<std::string, std::int64_t, std::vector<std::string>,
                           other_value>;

/// Puts the value where the field points. What is wrong and what would be
/// right, or nothing; then the target is unchanged. Secrets are not assigned
/// here.
std::optional<std::string> assign(const field& where, const value& given);

/// The value that the text of an environment variable stands for: a number
/// where the field wants one, a list split at commas where it wants a list.
value from_text(const field& where, const std::string& text);

/// The field's present value as TOML.
std::string render(const field& where);

} // namespace postrider::config
