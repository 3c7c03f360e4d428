#pragma once

#include "app/api/faults.hpp"
#include "app/api/json_text.hpp"
#include "app/api/json_writer.hpp"
#include "core/header.hpp"
#include "net/http_server.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace postrider::api {

/// A refusal that tells the caller what to change (RFC 9457).
struct problem {
  int status = 500;
  std::string_view code = "internal";
  std::string detail;
  std::vector<fault> errors;
  std::vector<header> headers; ///< beside those of every answer
};

/// For a body with faults: 400 when it could be read in two ways, 413 when its
/// payload is too large, else 422.
problem invalid_body(const faults& found);

/// 400 for a text that is no JSON; names the offset, never the bytes.
problem malformed_json(const json_fault& fault);

/// 503 with `Retry-After`.
problem try_again(std::string_view code, std::string detail);

/// Appends the members of a problem document but `instance` and `request_id`.
void write_members(json_writer& out, const problem& what);

/// The whole answer.
net::server_response to_response(problem what, std::string_view instance,
                                 std::string_view request_id);

} // namespace postrider::api
