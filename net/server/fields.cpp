#include "net/server/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace postrider::net::server {

namespace {

constexpr auto token_bytes = [] {
  std::array<bool, 256> table{};
  for (auto c : std::string_view{"!#$%&'*+-.^_`|~0123456789"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz"})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
         || (c >= 'A' && c <= 'Z');
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool has_item(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    auto comma = std::min(list.find(','), list.size());
    if (same_header_name(trimmed(list.substr(0, comma)), wanted))
      return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// `name`, `name:port`, `[v6]`, `[v6]:port`; the port in 1 to 65535.
bool is_host(std::string_view text) {
  std::size_t end = 0;
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos || end < 3)
      return false;
    auto inner = text.substr(1, end - 1);
    if (inner.find_first_not_of("0123456789abcdefABCDEF:.") != inner.npos)
      return false;
    ++end;
  } else {
    while (end < text.size()
           && (is_alnum(text[end]) || text[end] == '.' || text[end] == '-'
               || text[end] == '_'))
      ++end;
    if (end == 0 || end > 255)
      return false;
  }
  if (end == text.size())
    return true;
  auto port = text.substr(end + 1);
  if (text[end] != ':' || port.size() > 5 || !is_digits(port))
    return false;
  int number = 0;
  std::from_chars(port.data(), port.data() + port.size(), number);
  return number >= 1 && number <= 65535;
}

std::optional<framing_fault> read_length(std::string_view value,
                                         request_head& head) {
  // No sign, no list, no leading zero: one spelling for one number.
  if (!is_digits(value) || value.size() > 19
      || (value.size() > 1 && value.front() == '0'))
    return framing_fault{400, "Content-Length is not one plain decimal number"};
  std::from_chars(value.data(), value.data() + value.size(),
                  head.content_length);
  return {};
}

std::optional<framing_fault> read_coding(std::string_view value,
                                         request_head& head) {
  if (same_header_name(value, "chunked")) {
    head.chunked = true;
    return {};
  }
  auto comma = value.rfind(',');
  if (comma != std::string_view::npos
      && is_token(trimmed(value.substr(0, comma)))
      && same_header_name(trimmed(value.substr(comma + 1)), "chunked"))
    return framing_fault{501, "only the transfer coding `chunked` is known"};
  return framing_fault{400, "Transfer-Encoding is not exactly `chunked`"};
}

/// What some proxy would read as a framing header although we would not.
bool looks_like_framing(std::string_view name) {
  if (name.size() != 14 && name.size() != 17)
    return false;
  std::string dashed{name};
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed != name
         && (same_header_name(dashed, "content-length")
             || same_header_name(dashed, "transfer-encoding"));
}

struct counts {
  int host = 0;
  int length = 0;
  int coding = 0;
};

std::optional<framing_fault> judge_field(const header& field,
                                         request_head& head, counts& seen) {
  const auto& [name, value] = field;
  switch (name.size()) {
  case 4:
    if (same_header_name(name, "host")) {
      ++seen.host;
      if (!is_host(value))
        return framing_fault{400, "Host is not a host with an optional port"};
    }
    break;
  case 6:
    if (same_header_name(name, "expect")) {
      if (!same_header_name(value, "100-continue"))
        return framing_fault{417, "only `Expect: 100-continue` is known"};
      head.expects_continue = !head.http_1_0;
    }
    break;
  case 10:
    if (same_header_name(name, "connection")) {
      if (has_item(value, "close"))
        head.keep_alive = false;
      else if (head.http_1_0 && has_item(value, "keep-alive"))
        head.keep_alive = true;
    }
    break;
  case 14:
    if (same_header_name(name, "content-length")) {
      ++seen.length;
      return read_length(value, head);
    }
    break;
  case 16:
    if (same_header_name(name, "content-encoding")
        && !same_header_name(value, "identity"))
      return framing_fault{415, "a compressed body is not accepted; send it "
                                "without Content-Encoding"};
    break;
  case 17:
    if (same_header_name(name, "transfer-encoding")) {
      ++seen.coding;
      return read_coding(value, head);
    }
    break;
  default:
    break;
  }
  if (looks_like_framing(name))
    return framing_fault{400, "a header imitates Content-Length or "
                              "Transfer-Encoding"};
  return {};
}

} // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return token_bytes[static_cast<unsigned char>(c)];
  });
}

std::optional<framing_fault> judge_fields(request_head& head) {
  counts seen;
  head.keep_alive = !head.http_1_0;
  std::optional<framing_fault> fault;
  for (const auto& field : head.headers) {
    auto found = judge_field(field, head, seen);
    // A fault of the framing outweighs one of the content: 400 before 415.
    if (found && (!fault || found->status == 400))
      fault = found;
  }
  if (seen.length > 1)
    return framing_fault{400, "Content-Length is given more than once"};
  if (seen.coding > 1)
    return framing_fault{400, "Transfer-Encoding is given more than once"};
  if (seen.coding != 0 && seen.length != 0)
    return framing_fault{400, "Content-Length and Transfer-Encoding are both "
                              "given"};
  if (seen.coding != 0 && head.http_1_0)
    return framing_fault{400, "Transfer-Encoding does not exist in HTTP/1.0"};
  if (seen.host > 1 || (seen.host == 0 && !head.http_1_0))
    return framing_fault{400, "there must be exactly one Host header"};
  return fault;
}

} // namespace postrider::net::server
