#include "core/url.hpp"

#include "core/address.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <idn2.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

namespace postrider {

namespace {

constexpr std::size_t url_limit = 2048;
constexpr std::size_t host_limit = 253;
constexpr std::size_t label_limit = 63;
constexpr auto* port_rule =
    "the port must be a number from 1 to 65535 without leading zeros";

using host_or_fault = std::variant<std::string, url_fault>;

bool ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return (c & 0x80) != 0; });
}

bool digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// Strict IDNA 2008: a lookup that maps (wide digits, soft hyphens, other full
// stops) would make one host look like another, so nothing is mapped.
std::optional<std::string> to_alabels(const std::string& host) {
  char* raw = nullptr;
  const int code = idn2_to_ascii_8z(host.c_str(), &raw,
                                    IDN2_NFC_INPUT | IDN2_NO_TR46
                                        | IDN2_USE_STD3_ASCII_RULES);
  const std::unique_ptr<char, void (*)(void*)> result{raw, idn2_free};
  if (code != IDN2_OK
      || std::string_view{raw}.find("xn--") == std::string_view::npos)
    return std::nullopt;
  return std::string{raw};
}

// A name whose last label is a number would be read as IPv4 by somebody.
bool looks_numeric(std::string_view host) {
  const auto dot = host.rfind('.');
  const auto last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (last.starts_with("0x"))
    return last.find_first_not_of("0123456789abcdef", 2)
           == std::string_view::npos;
  return !last.empty() && std::all_of(last.begin(), last.end(), digit);
}

std::optional<url_fault> refuse_name(std::string_view host) {
  if (host.size() > host_limit)
    return url_fault{"the host name is longer than 253 bytes"};
  if (looks_numeric(host))
    return url_fault{
        "the host looks like an IPv4 address but is not four plain "
        "decimal numbers from 0 to 255"};
  for (std::size_t at = 0; at <= host.size();) {
    const auto end = std::min(host.find('.', at), host.size());
    const auto label = host.substr(at, end - at);
    if (label.empty())
      return url_fault{"the host name has an empty label (two dots in a row)"};
    if (label.size() > label_limit)
      return url_fault{"a label of the host name is longer than 63 bytes"};
    if (label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_")
            != std::string_view::npos
        || label.front() == '-' || label.back() == '-')
      return url_fault{"the host name may hold letters, digits, '-' and '_' "
                       "only, and no label may begin or end with '-'"};
    at = end + 1;
  }
  return std::nullopt;
}

host_or_fault normal_name(std::string_view written) {
  std::string host{written};
  std::transform(host.begin(), host.end(), host.begin(), lower);
  if (!ascii(host)) {
    auto converted = to_alabels(host);
    if (!converted)
      return url_fault{"the host is no valid internationalised name; write it "
                       "in lower case, or in its xn-- form"};
    host = std::move(*converted);
  }
  const bool dot = host.ends_with('.');
  if (dot)
    host.pop_back();
  // A dot behind an address is refused by refuse_name: it stays numeric.
  if (auto fault = refuse_name(host); fault && (dot || !parse_ip(host)))
    return *fault;
  return host;
}

// RFC 3986 knows ASCII only; so a name in another script is exchanged before
// the text is parsed. Where the host is wrongly cut, the parser refuses.
std::variant<std::string, url_fault> with_ascii_host(std::string_view text) {
  const auto slashes = text.find("://");
  if (slashes == std::string_view::npos)
    return url_fault{"a URL must begin with http:// or https://"};
  const auto from = slashes + 3;
  const auto end = std::min(text.find_first_of("/?#\\@", from), text.size());
  const auto to = std::min(text.find(':', from), end);
  if (ascii(text.substr(from, to - from)))
    return url_fault{"bytes outside ASCII must be percent-encoded"};
  auto host = normal_name(text.substr(from, to - from));
  if (auto* fault = std::get_if<url_fault>(&host))
    return *fault;
  std::string result{text.substr(0, from)};
  result += std::get<std::string>(host);
  result += text.substr(to);
  if (!ascii(result))
    return url_fault{"bytes outside ASCII must be percent-encoded"};
  return result;
}

// Boost.URL 1.81 reads `:80a/` as port 80 and path `a/`; so its authority has
// to end where RFC 3986 says.
bool whole_authority(std::string_view text,
                     const boost::urls::url_view& parsed) {
  const auto from = text.find("//") + 2;
  const auto end = std::min(text.find_first_of("/?#", from), text.size());
  const auto authority = parsed.encoded_authority();
  return std::string_view{authority.data(), authority.size()}
         == text.substr(from, end - from);
}

std::optional<url_fault> refuse_text(std::string_view text) {
  if (text.empty())
    return url_fault{"the URL is empty"};
  if (text.size() > url_limit)
    return url_fault{"the URL is longer than 2048 bytes"};
  for (const char c : text)
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f)
      return url_fault{"the URL holds a space or a control character"};
  return std::nullopt;
}

std::optional<url_fault> read_port(std::string_view text, bool written,
                                   url& result) {
  if (!written) {
    result.port = result.tls ? 443 : 80;
    return std::nullopt;
  }
  const auto* end = text.data() + text.size();
  auto [next, fault] = std::from_chars(text.data(), end, result.port);
  if (text.empty() || fault != std::errc{} || next != end || result.port == 0
      || text.front() == '0')
    return url_fault{port_rule};
  return std::nullopt;
}

std::optional<url_fault> read_host(const boost::urls::url_view& parsed,
                                   url& result) {
  const std::string_view written{parsed.encoded_host().data(),
                                 parsed.encoded_host().size()};
  if (written.empty())
    return url_fault{"the URL has no host"};
  if (written.front() == '[') {
    const auto address = parse_ip(written.substr(1, written.size() - 2));
    if (!address || address->v4)
      return url_fault{"the host in brackets is no IPv6 address without zone"};
    result.host = to_string(*address);
    result.literal = true;
    return std::nullopt;
  }
  auto host = normal_name(written);
  if (auto* fault = std::get_if<url_fault>(&host))
    return *fault;
  result.host = std::get<std::string>(std::move(host));
  result.literal = parse_ip(result.host).has_value();
  return std::nullopt;
}

} // namespace

std::string url::authority() const {
  const bool v6 = literal && host.find(':') != std::string::npos;
  std::string result = v6 ? '[' + host + ']' : host;
  if (port != (tls ? 443 : 80))
    result += ':' + std::to_string(port);
  return result;
}

bool url::local_name() const {
  return !literal
         && (host.find('.') == std::string::npos || host.ends_with(".localhost")
             || host.ends_with(".localdomain"));
}

std::variant<url, url_fault> parse_url(std::string_view text) {
  if (auto fault = refuse_text(text))
    return *fault;
  std::string converted;
  if (!ascii(text)) {
    auto exchanged = with_ascii_host(text);
    if (auto* fault = std::get_if<url_fault>(&exchanged))
      return *fault;
    text = converted = std::get<std::string>(std::move(exchanged));
  }
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed)
    return url_fault{"not a URL as RFC 3986 writes it, such as "
                     "https://example.com/hooks?x=1; odd characters must be "
                     "percent-encoded"};
  const auto scheme = parsed->scheme_id();
  if (scheme != boost::urls::scheme::http
      && scheme != boost::urls::scheme::https)
    return url_fault{"the scheme must be http or https"};
  if (!parsed->has_authority())
    return url_fault{"a URL must begin with http:// or https://"};
  if (parsed->has_userinfo())
    return url_fault{"user name and password do not belong in a URL; use a "
                     "header"};
  if (parsed->has_fragment())
    return url_fault{"the URL has a fragment (#), which is never sent"};
  url result;
  result.tls = scheme == boost::urls::scheme::https;
  if (auto fault = read_host(*parsed, result))
    return *fault;
  if (!whole_authority(text, *parsed))
    return url_fault{port_rule};
  const std::string_view port{parsed->port().data(), parsed->port().size()};
  if (auto fault = read_port(port, parsed->has_port(), result))
    return *fault;
  const auto target = parsed->encoded_target();
  result.target.assign(target.data(), target.size());
  if (!result.target.starts_with('/'))
    result.target.insert(0, 1, '/');
  return result;
}

} // namespace postrider
