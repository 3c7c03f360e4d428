#pragma once

#include "net/http_client.hpp"

#include <optional>
#include <string>

namespace postrider::net::client {

/// Why a request must not go out: a byte that would end a line, or a field
/// that is ours to write. Rows are checked when they are written, but a row
/// can be planted (HDR-01).
std::optional<std::string> refuse_request(const http_request& request);

/// Replaces `into` by the request line and the header fields, with Host and
/// Content-Length, up to the blank line.
void write_request_head(const http_request& request, std::string& into);

} // namespace postrider::net::client
