#pragma once

#include "net/http_server.hpp"

#include <string>
#include <string_view>

namespace postrider::net::server {

/// The words after a status code.
std::string_view reason_phrase(int status);

/// Whether an answer with this status may have a body.
bool may_have_body(int status);

/// Writes status line and headers of an answer into `out`, in place of what it
/// held.
void write_response_head(const server_response& response, bool keep_alive,
                         std::string_view date, std::string& out);

} // namespace postrider::net::server
