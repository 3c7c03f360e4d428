#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postrider::api {

/// Where the next page of the list called `list` starts, in a form that
/// callers have no reason to take apart.
std::string make_cursor(std::string_view list, std::int64_t key);

/// Nothing when the text is no cursor of this list.
std::optional<std::int64_t> read_cursor(std::string_view list,
                                        std::string_view text);

} // namespace postrider::api
