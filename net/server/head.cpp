#include "net/server/head.hpp"

#include "net/server/fields.hpp"

#include <algorithm>

namespace postrider::net::server {

namespace {

constexpr std::size_t max_fields = 100;
constexpr std::size_t max_method = 32;
constexpr std::size_t max_target = 8192;

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<framing_fault> judge_version(std::string_view text,
                                           bool& http_1_0) {
  http_1_0 = text == "HTTP/1.0";
  if (http_1_0 || text == "HTTP/1.1")
    return {};
  if (text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5])
      && text[6] == '.' && is_digit(text[7]))
    return framing_fault{505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
  return framing_fault{400, "the request line does not end in HTTP/1.1"};
}

std::optional<framing_fault> judge_target(std::string_view method,
                                          std::string_view target) {
  if (method == "CONNECT")
    return framing_fault{405, "this server is no proxy"};
  if (target.size() > max_target)
    return framing_fault{414, "the request target is longer than 8192 bytes"};
  if (target.empty() || target.front() != '/')
    return framing_fault{400, "the request target must start with a slash"};
  auto visible = [](char c) { return c > 0x20 && c < 0x7f && c != '#'; };
  if (!std::all_of(target.begin(), target.end(), visible))
    return framing_fault{400, "the request target holds a byte that must be "
                              "percent-encoded"};
  return {};
}

/// `METHOD target HTTP/1.x`, one space each.
std::optional<framing_fault> parse_request_line(std::string_view line,
                                                request_head& head) {
  auto first = line.find(' ');
  auto last = line.rfind(' ');
  auto method = line.substr(0, first);
  if (method.empty() || method.size() > max_method
      || !std::all_of(method.begin(), method.end(), is_upper))
    return framing_fault{400, "the method must be 1 to 32 capital letters"};
  if (first == std::string_view::npos || first == last)
    return framing_fault{400, "the request line is not `METHOD target "
                              "HTTP/1.1`"};
  if (auto fault = judge_version(line.substr(last + 1), head.http_1_0))
    return fault;
  auto target = line.substr(first + 1, last - first - 1);
  if (auto fault = judge_target(method, target))
    return fault;
  head.method = method;
  head.target = target;
  return {};
}

} // namespace

head_scanner::result head_scanner::scan(std::string_view text) {
  // A TLS record or other noise never gets as far as a line.
  if (!text.empty() && !is_upper(text.front()))
    return framing_fault{400, "the request does not start with a method"};
  for (;;) {
    auto end = text.find('\n', seen_);
    if (end == std::string_view::npos) {
      seen_ = text.size();
      return judge_first_line(text);
    }
    if (end == line_ || text[end - 1] != '\r')
      return framing_fault{400, "a line ends in a line feed alone"};
    if (end == line_ + 1)
      return end + 1;
    line_ = seen_ = end + 1;
  }
}

head_scanner::result head_scanner::judge_first_line(std::string_view text) {
  if (line_ == 0 || first_line_judged_)
    return std::monostate{};
  first_line_judged_ = true;
  request_head ignored;
  if (auto fault = parse_request_line(text.substr(0, text.find('\r')), ignored))
    return *fault;
  return std::monostate{};
}

std::optional<framing_fault> parse_field(std::string_view line, header& into) {
  if (line.front() == ' ' || line.front() == '\t')
    return framing_fault{400, "a header is folded over two lines"};
  auto colon = line.find(':');
  if (colon == std::string_view::npos)
    return framing_fault{400, "a header line has no colon"};
  auto name = line.substr(0, colon);
  if (!is_token(name))
    return framing_fault{400, "a header name is empty or holds a byte that is "
                              "not allowed there"};
  auto value = line.substr(colon + 1);
  auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!value.empty() && is_blank(value.front()))
    value.remove_prefix(1);
  while (!value.empty() && is_blank(value.back()))
    value.remove_suffix(1);
  auto is_control = [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  };
  if (std::any_of(value.begin(), value.end(), is_control))
    return framing_fault{400, "a header value holds a control byte"};
  into.name = name;
  into.value = value;
  return {};
}

std::variant<request_head, framing_fault> parse_head(std::string_view text) {
  request_head head;
  auto end = text.find("\r\n");
  if (auto fault = parse_request_line(text.substr(0, end), head))
    return *fault;
  text.remove_prefix(end + 2);
  head.headers.reserve(12);
  while ((end = text.find("\r\n")) != 0) {
    if (head.headers.size() == max_fields)
      return framing_fault{431, "there are more than 100 headers"};
    if (auto fault =
            parse_field(text.substr(0, end), head.headers.emplace_back()))
      return *fault;
    text.remove_prefix(end + 2);
  }
  if (auto fault = judge_fields(head))
    return *fault;
  return head;
}

} // namespace postrider::net::server
