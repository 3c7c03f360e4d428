#pragma once

#include "app/api/faults.hpp"
#include "app/api/json_text.hpp"
#include "core/header.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace postrider::api {

/// How many headers an event or an endpoint may carry.
inline constexpr std::size_t most_headers = 50;

enum class null_member : std::uint8_t { refused, skipped };

/// Reads an object of header names and values that a customer wants sent; `at`
/// is the pointer to it. A name may stand there once, in whatever case.
std::vector<header> read_headers(const json_value& object,
                                 const std::string& at, faults& found,
                                 null_member nulls = null_member::refused);

} // namespace postrider::api
