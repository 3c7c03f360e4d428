#pragma once

#include <string>
#include <string_view>

namespace postrider::app {

/// The text as a JSON string, quotes included.
std::string json_quote(std::string_view text);

/// What is wrong with a text that should be JSON; empty when it is.
std::string json_fault(std::string_view text);

/// The string or number that stands under `name` at the top of a JSON object,
/// as text; empty when there is none.
std::string json_member(std::string_view object, std::string_view name);

} // namespace postrider::app
