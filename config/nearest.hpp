#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace postrider::config {

/// The one of `known` that `word` was probably meant to be: it begins with it,
/// or is the fewest edits away, at most a third of its length. Nothing when
/// none is that close.
std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string> known);

/// ` (did you mean X?)`, or nothing.
std::string did_you_mean(std::string_view word,
                         std::span<const std::string> known);

} // namespace postrider::config
