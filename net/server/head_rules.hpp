#pragma once

#include "net/server/fault.hpp"

#include <boost/beast/http/message.hpp>

#include <optional>

namespace postrider::net::server {

using request_head = boost::beast::http::request_header<>;

/// Narrows method and target to what an origin server needs: Beast takes any
/// token and any byte above the space.
std::optional<framing_fault> judge_request_line(const request_head& head);

/// Holds the fields that frame a request to one spelling: Beast takes lists,
/// repetitions and codings that it does not know.
std::optional<framing_fault> judge_fields(const request_head& head);

} // namespace postrider::net::server
