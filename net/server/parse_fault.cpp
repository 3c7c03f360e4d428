#include "net/server/parse_fault.hpp"

#include <boost/beast/http/error.hpp>

namespace postrider::net::server {

namespace http = boost::beast::http;

namespace {

/// `HTTP/`, digit, dot, digit, CRLF at the end of a request line.
bool ends_in_version(std::string_view line) {
  auto version = line.substr(line.rfind(' ') + 1);
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return version.size() == 10 && version.starts_with("HTTP/")
         && is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
}

} // namespace

framing_fault fault_of(const boost::beast::error_code& error,
                       std::string_view text) {
  switch (static_cast<http::error>(error.value())) {
  case http::error::body_limit:
    return {413, "the body is larger than the limit"};
  case http::error::header_limit:
    return {431, "the headers are larger than the limit"};
  case http::error::bad_method:
  case http::error::bad_target:
    return {400, "the request line is not `METHOD target HTTP/1.1`"};
  case http::error::bad_version:
    if (ends_in_version(text))
      return {505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
    return {400, "the request line does not end in HTTP/1.1"};
  case http::error::bad_field:
    return {400, "a header line is not `name: value`, or its name holds a byte "
                 "that is not allowed there"};
  case http::error::bad_value:
    return {400, "a header value holds a control byte, or Connection is no "
                 "list"};
  case http::error::bad_line_ending:
    return {400, "a line holds a carriage return alone"};
  case http::error::bad_content_length:
  case http::error::multiple_content_length:
    return {400, "Content-Length is not one plain decimal number without "
                 "Transfer-Encoding beside it"};
  case http::error::bad_transfer_encoding:
    return {400, "Transfer-Encoding is given twice or beside Content-Length"};
  case http::error::bad_chunk:
  case http::error::bad_chunk_extension:
    return {400, "a chunk size or extension is malformed"};
  default:
    return {400, "the request is no HTTP/1.1"};
  }
}

} // namespace postrider::net::server
