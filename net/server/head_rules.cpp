#include "net/server/head_rules.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/url/authority_view.hpp>

#include <algorithm>
#include <string_view>

namespace postrider::net::server {

namespace http = boost::beast::http;
using boost::beast::iequals;
using std::string_view;
using fault = framing_fault;

namespace {

constexpr std::ptrdiff_t max_fields = 100;
constexpr std::size_t max_method = 32;
constexpr std::size_t max_target = 8192;
constexpr string_view host_bytes = "0123456789.-_"
                                   "abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// `name`, `name:port`, `[v6]`, `[v6]:port`; the port in 1 to 65535.
bool is_host(string_view text) {
  auto parsed = boost::urls::parse_authority(text);
  if (!parsed || parsed->has_userinfo())
    return false;
  if (parsed->has_port() && parsed->port_number() == 0)
    return false;
  if (parsed->host_type() == boost::urls::host_type::ipv6)
    return true;
  string_view name = parsed->encoded_host();
  return !name.empty() && name.size() <= 255
         && name.find_first_not_of(host_bytes) == name.npos;
}

/// No sign, no list, no leading zero: one spelling for one number.
bool is_plain_number(string_view text) {
  return text.find_first_not_of("0123456789") == text.npos
         && (text.size() == 1 || !text.starts_with('0'));
}

/// What some proxy would read as a framing header although we would not.
bool imitates_framing(string_view name) {
  if (name.find('_') == name.npos)
    return false;
  std::string dashed{name};
  std::ranges::replace(dashed, '_', '-');
  return iequals(dashed, "content-length")
         || iequals(dashed, "transfer-encoding");
}

std::optional<fault> judge_coding(const request_head& head) {
  if (head.count(http::field::transfer_encoding) == 0)
    return {};
  if (head.version() == 10)
    return fault{400, "Transfer-Encoding does not exist in HTTP/1.0"};
  auto value = head[http::field::transfer_encoding];
  if (iequals(value, "chunked"))
    return {};
  if (http::token_list{value}.exists("chunked"))
    return fault{501, "only the transfer coding `chunked` is known"};
  return fault{400, "Transfer-Encoding is not exactly `chunked`"};
}

std::optional<fault> judge_content(const request_head& head) {
  for (const auto& field : head) {
    if (field.name() == http::field::expect
        && !iequals(field.value(), "100-continue"))
      return fault{417, "only `Expect: 100-continue` is known"};
    if (field.name() == http::field::content_encoding
        && !iequals(field.value(), "identity"))
      return fault{415, "a compressed body is not accepted; send it without "
                        "Content-Encoding"};
  }
  return {};
}

} // namespace

std::optional<fault> judge_request_line(const request_head& head) {
  string_view method = head.method_string();
  string_view target = head.target();
  if (head.method() == http::verb::connect)
    return fault{405, "this server is no proxy"};
  auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (method.size() > max_method || !std::ranges::all_of(method, is_upper))
    return fault{400, "the method must be 1 to 32 capital letters"};
  if (target.size() > max_target)
    return fault{414, "the request target is longer than 8192 bytes"};
  if (!target.starts_with('/'))
    return fault{400, "the request target must start with a slash"};
  auto visible = [](char c) { return c > 0x20 && c < 0x7f && c != '#'; };
  if (!std::ranges::all_of(target, visible))
    return fault{400, "the request target holds a byte that must be "
                      "percent-encoded"};
  return {};
}

std::optional<fault> judge_fields(const request_head& head) {
  if (std::distance(head.begin(), head.end()) > max_fields)
    return fault{431, "there are more than 100 headers"};
  auto hosts = head.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && head.version() > 10))
    return fault{400, "there must be exactly one Host header"};
  if (hosts == 1 && !is_host(head[http::field::host]))
    return fault{400, "Host is not a host with an optional port"};
  if (head.count(http::field::content_length) > 1)
    return fault{400, "Content-Length is given more than once"};
  if (!is_plain_number(head[http::field::content_length]))
    return fault{400, "Content-Length is not one plain decimal number"};
  for (const auto& field : head)
    if (imitates_framing(field.name_string()))
      return fault{400, "a header imitates Content-Length or "
                        "Transfer-Encoding"};
  if (auto found = judge_coding(head))
    return found;
  return judge_content(head);
}

} // namespace postrider::net::server
