#include "net/server/request_reader.hpp"

#include "net/server/chunk_rules.hpp"
#include "net/server/head_rules.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace postrider::net::server {

namespace http = boost::beast::http;

namespace {

/// Parsers of the body may read past its end, which is free if the room is
/// there and a copy if it is not.
constexpr std::size_t body_slack = 64;

/// `HTTP/`, digit, dot, digit, CRLF at the end of a request line.
bool ends_in_version(std::string_view line) {
  auto version = line.substr(line.rfind(' ') + 1);
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return version.size() == 10 && version.starts_with("HTTP/")
         && is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
}

framing_fault fault_of(const boost::beast::error_code& error,
                       std::string_view text) {
  if (error == http::error::body_limit)
    return {413, "the body is larger than the limit"};
  if (error == http::error::bad_version && ends_in_version(text))
    return {505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
  return {400, "the request is not HTTP/1.1: " + error.message()};
}

} // namespace

request_reader::request_reader(std::size_t header_limit, std::size_t body_limit)
    : header_limit_{header_limit} {
  parser_.body_limit(body_limit);
  parser_.header_limit(static_cast<std::uint32_t>(header_limit));
}

bool request_reader::is_head() const {
  return parser_.get().method() == http::verb::head;
}

bool request_reader::expects_continue() const {
  return parser_.get().version() > 10
         && parser_.get().count(http::field::expect) != 0;
}

std::size_t request_reader::missing(std::size_t unknown) const {
  return parser_.content_length_remaining().value_or(unknown);
}

server_request request_reader::take() {
  auto message = parser_.release();
  server_request request;
  request.method = message.method_string();
  request.target = message.target();
  request.headers.reserve(12);
  for (const auto& field : message)
    request.headers.push_back({field.name_string(), field.value()});
  request.body = std::move(message.body());
  return request;
}

std::size_t request_reader::read(std::string_view text) {
  std::size_t used = 0;
  bool in_body = head_done();
  while (!fault_ && !done() && used < text.size() && head_done() == in_body) {
    auto rest = text.substr(used);
    auto step = in_body ? (parser_.chunked() ? read_chunk(rest) : feed(rest))
                : head_size_ == 0 ? read_request_line(rest)
                                  : read_fields(rest);
    if (step == 0)
      break;
    used += step;
  }
  return used;
}

std::size_t request_reader::refuse(int status, std::string_view detail) {
  fault_ = framing_fault{status, std::string{detail}};
  return 0;
}

std::size_t request_reader::feed(std::string_view text) {
  boost::beast::error_code error;
  auto used = parser_.put(boost::asio::buffer(text), error);
  if (error && error != http::error::need_more)
    fault_ = fault_of(error, text);
  return used;
}

/// Beast gets the request line as soon as it is there, so that a wrong one is
/// refused at once.
std::size_t request_reader::read_request_line(std::string_view text) {
  // A TLS record or other noise never gets as far as a line.
  if (text.front() < 'A' || text.front() > 'Z')
    return refuse(400, "the request does not start with a method");
  auto end = text.find('\n', seen_);
  if (std::min(end, text.size()) > header_limit_)
    return refuse(414, "the request line is larger than the limit");
  seen_ = text.size();
  if (end == text.npos)
    return 0;
  if (text[end - 1] != '\r')
    return refuse(400, "a line ends in a line feed alone");
  seen_ = 0;
  head_size_ = feed(text.substr(0, end + 1));
  if (!fault_)
    fault_ = judge_request_line(parser_.get());
  return head_size_;
}

/// Beast gets the fields when their end is there. What it would wait for or
/// put together is refused before: a bare line feed, a folded line.
std::size_t request_reader::read_fields(std::string_view text) {
  for (;;) {
    auto end = text.find('\n', seen_);
    if (head_size_ + std::min(end, text.size()) > header_limit_)
      return refuse(431, "the headers are larger than the limit");
    seen_ = text.size();
    if (end == text.npos)
      return 0;
    if (end == line_ || text[end - 1] != '\r')
      return refuse(400, "a line ends in a line feed alone");
    if (text[line_] == ' ' || text[line_] == '\t')
      return refuse(400, "a header is folded over two lines");
    if (end == line_ + 1)
      break;
    line_ = seen_ = end + 1;
  }
  auto used = feed(text.substr(0, line_ + 2));
  if (fault_)
    return used;
  fault_ = judge_fields(parser_.get());
  // Of what does not come after all, no page is ever touched.
  parser_.get().body().reserve(missing(0) + body_slack);
  return used;
}

/// The trailers are kept from Beast, which would let them have an effect.
std::size_t request_reader::read_chunk(std::string_view text) {
  if (chunk_left_ != 0) {
    auto used = feed(text);
    chunk_left_ -= used;
    return used;
  }
  auto line = read_chunk_line(text, first_chunk_);
  fault_ = line.fault;
  if (fault_ || line.end == 0)
    return 0;
  if (line.size != 0) {
    first_chunk_ = false;
    chunk_left_ = line.size;
    return feed(text);
  }
  auto rest = read_trailers(text.substr(line.end));
  fault_ = rest.fault;
  if (fault_ || rest.end == 0)
    return 0;
  ended_ = true;
  return line.end + rest.end;
}

} // namespace postrider::net::server
