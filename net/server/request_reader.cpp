#include "net/server/request_reader.hpp"

#include "net/server/chunk_rules.hpp"
#include "net/server/parse_fault.hpp"
#include "net/server/target.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace postrider::net::server {

namespace http = boost::beast::http;

namespace {

constexpr std::size_t max_fields = 100;
constexpr std::size_t trusted_length = 64 * 1024;
/// Parsers of the body may read past its end, which is free if the room is
/// there and a copy if it is not.
constexpr std::size_t body_slack = 64;

} // namespace

request_reader::request_reader(const http_server_options& options,
                               server_request& into)
    : options_{options}, request_{into} {
  body_limit(options.body_limit);
  header_limit(static_cast<std::uint32_t>(options.header_limit));
}

bool request_reader::expects_continue() const {
  return fields_.expects_continue() && version_ > 10;
}

std::size_t request_reader::read(std::string_view text) {
  std::size_t used = 0;
  bool in_body = head_done();
  while (!fault_ && !done() && used < text.size() && head_done() == in_body) {
    auto rest = text.substr(used);
    auto step = version_ == 0 ? read_request_line(rest)
                : !in_body    ? read_fields(rest)
                : chunked()   ? read_chunk(rest)
                              : feed(rest);
    if (step == 0)
      break;
    used += step;
  }
  return used;
}

std::size_t request_reader::refuse(int status, std::string_view detail) {
  fault_ = framing_fault{status, detail};
  return 0;
}

std::size_t request_reader::feed(std::string_view text) {
  error_code error;
  auto used = put(boost::asio::buffer(text), error);
  if (error && error != http::error::need_more && !fault_)
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
  if (std::min(end, text.size()) > options_.header_limit)
    return refuse(414, "the request line is larger than the limit");
  if (end == text.npos) {
    seen_ = text.size();
    return 0;
  }
  if (text[end - 1] != '\r')
    return refuse(400, "a line ends in a line feed alone");
  seen_ = 0;
  head_size_ = end + 1;
  return feed(text.substr(0, head_size_));
}

/// Beast gets the fields when their end is there. What it would wait for or
/// put together is refused before: a bare line feed, a folded line.
std::size_t request_reader::read_fields(std::string_view text) {
  for (;;) {
    auto end = text.find('\n', seen_);
    if (head_size_ + std::min(end, text.size()) > options_.header_limit)
      return refuse(431, "the headers are larger than the limit");
    if (end == text.npos) {
      seen_ = text.size();
      return 0;
    }
    if (end == line_ || text[end - 1] != '\r')
      return refuse(400, "a line ends in a line feed alone");
    if (text[line_] == ' ' || text[line_] == '\t')
      return refuse(400, "a header is folded over two lines");
    if (end == line_ + 1)
      return feed(text.substr(0, end + 1));
    line_ = seen_ = end + 1;
  }
}

/// The trailers are kept from Beast, which would let them have an effect.
std::size_t request_reader::read_chunk(std::string_view text) {
  if (chunk_left_ != 0)
    return feed(text);
  auto line = read_chunk_line(text, first_chunk_);
  fault_ = line.fault;
  if (fault_ || line.end == 0)
    return 0;
  if (!line.last)
    return feed(text);
  auto rest = read_trailers(text.substr(line.end));
  fault_ = rest.fault;
  if (fault_ || rest.end == 0)
    return 0;
  ended_ = true;
  return line.end + rest.end;
}

void request_reader::stop(framing_fault fault, error_code& error) {
  fault_ = fault;
  error = http::error::bad_field;
}

void request_reader::on_request_impl(http::verb verb, string_view method,
                                     string_view target, int version,
                                     error_code& error) {
  version_ = version;
  request_.method = method;
  request_.target = target;
  if (verb == http::verb::connect)
    stop({405, "this server is no proxy"}, error);
  else if (auto fault = judge_request_line(method, target))
    stop(*fault, error);
}

void request_reader::on_field_impl(http::field id, string_view name,
                                   string_view value, error_code& error) {
  if (request_.headers.size() == max_fields)
    return stop({431, "there are more than 100 headers"}, error);
  request_.headers.push_back({std::string{name}, std::string{value}});
  if (auto fault = fields_.take(id, name, value))
    stop(*fault, error);
}

void request_reader::on_header_impl(error_code& error) {
  if (auto fault = fields_.judge(version_))
    stop(*fault, error);
}

void request_reader::on_body_init_impl(
    const boost::optional<std::uint64_t>& length, error_code&) {
  // No more is reserved on the word of the sender than a small body needs.
  if (length)
    request_.body.reserve(std::min<std::size_t>(*length, trusted_length)
                          + body_slack);
}

std::size_t request_reader::on_body_impl(string_view body, error_code&) {
  request_.body.append(body);
  return body.size();
}

void request_reader::on_chunk_header_impl(std::uint64_t size, string_view,
                                          error_code&) {
  chunk_left_ = size;
  first_chunk_ = false;
}

std::size_t request_reader::on_chunk_body_impl(std::uint64_t, string_view body,
                                               error_code&) {
  request_.body.append(body);
  chunk_left_ -= body.size();
  return body.size();
}

} // namespace postrider::net::server
