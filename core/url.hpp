#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace postrider {

/// An `http` or `https` URL taken apart once, by the only parser there is.
struct url {
  bool tls = false;
  /// Lower case, ASCII (IDN in its `xn--` form), no brackets, no trailing dot.
  std::string host;
  /// The host is a literal IPv4 or IPv6 address.
  bool literal = false;
  std::uint16_t port = 0; ///< never 0: the scheme's default is filled in
  /// Path and query exactly as written; `/` is put in front when absent.
  std::string target;

  /// The value of the `Host` header: brackets and a non-default port included.
  std::string authority() const;

  /// The host is a name that the public DNS does not have: one label, or
  /// below `localhost` or `localdomain`. The client judges where it leads like
  /// any other; this is for refusing it early. (ING-09, vector 6.1.8.)
  bool local_name() const;

  friend bool operator==(const url&, const url&) = default;
};

/// Why a URL is refused, for the person who wrote it.
struct url_fault {
  std::string what;
};

/// Parses and judges a URL. Refused: any other scheme, user information, a
/// fragment, control bytes, spaces, non-ASCII that is no IDN, malformed
/// percent signs, odd spellings of IPv4 (short, decimal, octal, hexadecimal,
/// trailing dot), zone ids, a port that is 0 or above 65535, a host above 253
/// or a label above 63 bytes, a text above 2048 bytes. (RELIABILITY 6.1;
/// ING-09, URL-02, URL-05, URL-08.)
std::variant<url, url_fault> parse_url(std::string_view text);

} // namespace postrider
