#pragma once

#include <cstddef>
#include <string_view>

namespace postrider::api {

/// How many bytes at the front can't end a string or break it, eight at a
/// time.
std::size_t plain_run(std::string_view text);

} // namespace postrider::api
