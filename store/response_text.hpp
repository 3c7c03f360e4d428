#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace postrider::store {

/// How much of a response is kept with a failed attempt, in bytes.
inline constexpr std::size_t response_limit = 4'096;

/// A response's first bytes as text that PostgreSQL takes: valid UTF-8 without
/// NUL, at most `response_limit` bytes; what does not fit becomes `?`.
std::string response_text(std::string_view bytes);

} // namespace postrider::store
