#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::api {

/// Where the next page of the list called `list` starts, in a form that
/// callers have no reason to take apart. `key` is any bytes.
std::string make_cursor(std::string_view list, std::string_view key);

/// The key; nothing when the text is no cursor of this list.
std::optional<std::string> read_cursor(std::string_view list,
                                       std::string_view text);

/// Numbers as a key.
std::string key_of(std::initializer_list<std::int64_t> numbers);
/// The numbers of a key that `key_of` made; nothing when it holds another
/// number of them.
std::optional<std::vector<std::int64_t>> numbers_of(std::string_view key,
                                                    std::size_t count);

} // namespace postrider::api
