#include "net/server/fields.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/url/authority_view.hpp>

#include <algorithm>
#include <string>

namespace postrider::net::server {

namespace http = boost::beast::http;
using boost::beast::iequals;

namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view host_bytes = "0123456789.-_"
                                        "abcdefghijklmnopqrstuvwxyz"
                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// `name`, `name:port`, `[v6]`, `[v6]:port`; the port in 1 to 65535.
bool is_host(std::string_view text) {
  auto parsed = boost::urls::parse_authority(text);
  if (!parsed || parsed->has_userinfo())
    return false;
  if (parsed->has_port() && parsed->port_number() == 0)
    return false;
  if (parsed->host_type() == boost::urls::host_type::ipv6)
    return true;
  std::string_view name = parsed->encoded_host();
  return !name.empty() && name.size() <= 255
         && name.find_first_not_of(host_bytes) == name.npos;
}

/// No sign, no list, no leading zero: one spelling for one number.
bool is_plain_number(std::string_view text) {
  return text.find_first_not_of(digits) == text.npos
         && (text.size() == 1 || !text.starts_with('0'));
}

/// What some proxy would read as a framing header although we would not.
bool imitates_framing(std::string_view name) {
  if (name.find('_') == name.npos)
    return false;
  std::string dashed{name};
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return iequals(dashed, "content-length")
         || iequals(dashed, "transfer-encoding");
}

} // namespace

std::optional<framing_fault> framing_fields::take(http::field id,
                                                  std::string_view name,
                                                  std::string_view value) {
  switch (id) {
  case http::field::host:
    if (++hosts_ > 1)
      return framing_fault{400, "Host is given more than once"};
    if (!is_host(value))
      return framing_fault{400, "Host is not a host with an optional port"};
    break;
  case http::field::content_length:
    if (++lengths_ > 1)
      return framing_fault{400, "Content-Length is given more than once"};
    if (!is_plain_number(value))
      return framing_fault{400, "Content-Length is not one plain decimal "
                                "number"};
    break;
  case http::field::transfer_encoding:
    return take_coding(value);
  case http::field::expect:
    expects_continue_ = true;
    if (!iequals(value, "100-continue"))
      later_ = {417, "only `Expect: 100-continue` is known"};
    break;
  case http::field::content_encoding:
    if (!iequals(value, "identity"))
      later_ = {415, "a compressed body is not accepted; send it without "
                     "Content-Encoding"};
    break;
  default:
    if (imitates_framing(name))
      return framing_fault{400, "a header imitates Content-Length or "
                                "Transfer-Encoding"};
  }
  return {};
}

std::optional<framing_fault>
framing_fields::take_coding(std::string_view value) {
  coded_ = true;
  if (iequals(value, "chunked"))
    return {};
  if (!http::token_list{value}.exists("chunked"))
    return framing_fault{400, "Transfer-Encoding is not exactly `chunked`"};
  later_ = {501, "only the transfer coding `chunked` is known"};
  return {};
}

std::optional<framing_fault> framing_fields::judge(int version) const {
  if (hosts_ == 0 && version > 10)
    return framing_fault{400, "there must be exactly one Host header"};
  if (coded_ && version == 10)
    return framing_fault{400, "Transfer-Encoding does not exist in HTTP/1.0"};
  return later_;
}

} // namespace postrider::net::server
