#pragma once

#include "config/document.hpp"

#include <string>
#include <string_view>

namespace postrider::config {

/// The line with its number and a caret under the place; empty when the line
/// is too long to be of help, or may hold a secret. With `hide_value` what
/// stands behind its `=` is left out.
std::string excerpt(std::string_view line, const place& where,
                    bool hide_value = false);

} // namespace postrider::config
