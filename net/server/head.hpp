#pragma once

#include "core/header.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace postrider::net::server {

/// Why a request is refused before anybody handles it.
struct framing_fault {
  int status = 400;
  std::string_view detail; ///< a literal
};

/// The head of a request, read so strictly that no second parser could see
/// another request in the same bytes (RELIABILITY 6.2).
struct request_head {
  std::string method;
  std::string target;
  std::vector<header> headers;
  bool chunked = false;
  std::size_t content_length = 0; ///< 0 when chunked or absent
  bool keep_alive = true;
  bool http_1_0 = false;
  bool expects_continue = false;
};

/// Finds the end of a head in a buffer that grows, and refuses what can be
/// refused before it is complete: a wrong first line, a bare line feed.
class head_scanner {
public:
  using result = std::variant<std::monostate, std::size_t, framing_fault>;

  /// The length of the head with its empty line, a fault, or nothing when
  /// more bytes are needed. `text` is the same bytes as before and more.
  result scan(std::string_view text);

  void reset() { *this = {}; }

private:
  result judge_first_line(std::string_view text);

  bool first_line_judged_ = false;
  std::size_t line_ = 0; ///< where the unfinished line starts
  std::size_t seen_ = 0; ///< bytes that hold no line feed of that line
};

/// Reads a head that `head_scanner` has delimited.
std::variant<request_head, framing_fault> parse_head(std::string_view text);

/// Reads one field line without its CRLF into `into`.
std::optional<framing_fault> parse_field(std::string_view line, header& into);

} // namespace postrider::net::server
