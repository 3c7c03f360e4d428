#pragma once

#include "net/http_server.hpp"
#include "net/server/fault.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace postrider::net::server {

/// Reads one request out of a buffer that grows. Beast parses; around it stand
/// the rules that it does not have, so that no second parser could see another
/// request in the same bytes (RELIABILITY 6.2).
class request_reader {
public:
  request_reader(std::size_t header_limit, std::size_t body_limit);

  /// Takes what it can from the front of `text` and says how much that was;
  /// the rest has to stand at the front of the next call. Stops behind the
  /// head.
  std::size_t read(std::string_view text);

  const std::optional<framing_fault>& fault() const { return fault_; }
  bool head_done() const { return parser_.is_header_done(); }
  bool done() const { return parser_.is_done() || ended_; }

  // Of a request whose head is done.
  bool is_head() const;
  bool keep_alive() const { return parser_.keep_alive(); }
  bool expects_continue() const;
  /// How much of the body is missing; `unknown` when it is chunked.
  std::size_t missing(std::size_t unknown) const;

  /// The request, once it is done.
  server_request take();

private:
  std::size_t read_request_line(std::string_view text);
  std::size_t read_fields(std::string_view text);
  std::size_t read_chunk(std::string_view text);
  std::size_t feed(std::string_view text);
  std::size_t refuse(int status, std::string_view detail);

  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  std::size_t header_limit_;
  std::optional<framing_fault> fault_;
  std::size_t head_size_ = 0; ///< of the request line, once it is read
  std::size_t line_ = 0;      ///< where the unfinished line starts
  std::size_t seen_ = 0;      ///< bytes without a line feed of that line
  bool first_chunk_ = true;
  std::uint64_t chunk_left_ = 0;
  bool ended_ = false; ///< the last chunk and its trailers are read
};

} // namespace postrider::net::server
