#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace postrider::config {

/// Reads a number of bytes such as `512B`, `256KiB`, `64MiB`, `1GiB`. Nothing
/// when it is malformed or does not fit.
std::optional<std::size_t> parse_size(std::string_view text);

/// The same in the largest unit that leaves no rest.
std::string render_size(std::size_t bytes);

/// A duration in the largest unit that leaves no rest: `20s`, `2ms`, `1h`.
std::string render_duration(std::chrono::milliseconds wait);

} // namespace postrider::config
