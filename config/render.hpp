#pragma once

#include "config/keys.hpp"

#include <string>
#include <string_view>

namespace postrider::config {

/// A text of TOML and JSON.
std::string quote(std::string_view text);

/// `127.0.0.1:8080`, `[::1]:8080`.
std::string to_string(const listen_config& where);

/// The field's present value as TOML. A secret is `"…"`, or `""` when there is
/// none.
std::string render(const field& where);

} // namespace postrider::config
