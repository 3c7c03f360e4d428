#pragma once

#include <string>
#include <string_view>

namespace postrider::app {

/// What somebody else wrote, made harmless for a terminal: control characters,
/// those of eight bits too, become `\x1b`. Line ends and tabs stay where
/// `keep_lines` is set.
std::string printable(std::string_view text, bool keep_lines = false);

} // namespace postrider::app
