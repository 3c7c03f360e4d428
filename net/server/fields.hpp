#pragma once

#include "net/server/head.hpp"

#include <optional>
#include <string_view>

namespace postrider::net::server {

/// A token of RFC 9110: what methods and field names are made of.
bool is_token(std::string_view text);

/// Judges the fields that decide about framing and fills in what they say:
/// Host, Content-Length, Transfer-Encoding, Connection, Expect,
/// Content-Encoding.
std::optional<framing_fault> judge_fields(request_head& head);

} // namespace postrider::net::server
