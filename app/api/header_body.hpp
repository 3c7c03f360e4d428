#pragma once

#include "app/api/faults.hpp"
#include "app/api/json_text.hpp"
#include "core/header.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::api {

/// How many headers an event or an endpoint may carry.
inline constexpr std::size_t most_headers = 50;

/// Stands for a value that is not shown (`is_secret_header`). Given back in a
/// patch it leaves the value as it is.
inline constexpr std::string_view masked_value = "********";

/// A value that would stand for another one.
bool is_masked(const header& field);

enum class null_member : std::uint8_t { refused, skipped };

/// Reads an object of header names and values that a customer wants sent; `at`
/// is the pointer to it. A name may stand there once, in whatever case.
std::vector<header> read_headers(const json_value& object,
                                 const std::string& at, faults& found,
                                 null_member nulls = null_member::refused);

/// Refuses those that stand under the prefix that is configured; `at` is the
/// pointer to them. (`read_headers` refuses the default one.)
void refuse_prefix(const std::vector<header>& headers, std::string_view prefix,
                   const std::string& at, faults& found);

} // namespace postrider::api
