#pragma once

#include "net/client/response_head.hpp"

#include <cstdint>

namespace postrider::net::client {

/// How the end of a response's body is found, and what that says about the
/// connection.
struct response_framing {
  enum class kind { none, length, chunked, until_close } body = kind::none;
  std::uint64_t length = 0;
  /// The connection may carry another request once the body has ended.
  bool reusable = true;
  /// The framing contradicts itself; where the body ends is anyone's guess.
  bool malformed = false;
};

/// Judges a complete head of a final response to a POST (RFC 9112 section 6).
response_framing judge_framing(const response_head& head);

} // namespace postrider::net::client
