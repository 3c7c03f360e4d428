#include "core/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <span>

namespace postrider {

namespace {

std::optional<ip_address> parse_v4(std::string_view text) {
  ip_address result;
  result.v4 = true;
  result.bytes[10] = result.bytes[11] = 0xff;
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < 4; ++i) {
    if (i > 0 && (at == end || *at++ != '.'))
      return std::nullopt;
    // inet_aton reads a leading zero as octal; so nobody may write one.
    if (end - at > 1 && at[0] == '0' && at[1] >= '0' && at[1] <= '9')
      return std::nullopt;
    if (at == end || *at < '0' || *at > '9')
      return std::nullopt;
    auto [next, fault] = std::from_chars(at, end, result.bytes[12 + i]);
    if (fault != std::errc{})
      return std::nullopt;
    at = next;
  }
  if (at != end)
    return std::nullopt;
  return result;
}

std::optional<ip_address> parse_v6(std::string_view text) {
  char buffer[INET6_ADDRSTRLEN + 1];
  if (text.size() >= sizeof buffer)
    return std::nullopt;
  *std::copy(text.begin(), text.end(), buffer) = '\0';
  ip_address result;
  // A NUL inside would hide what follows it.
  if (text.find('\0') != std::string_view::npos
      || inet_pton(AF_INET6, buffer, result.bytes.data()) != 1)
    return std::nullopt;
  return result;
}

bool same_prefix(std::span<const std::uint8_t> a,
                 std::span<const std::uint8_t> b, std::size_t bits) {
  const auto whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole),
                  b.begin()))
    return false;
  const auto rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

} // namespace

std::optional<ip_address> parse_ip(std::string_view text) {
  return text.find(':') == std::string_view::npos ? parse_v4(text)
                                                  : parse_v6(text);
}

std::string to_string(const ip_address& address) {
  char buffer[INET6_ADDRSTRLEN];
  if (address.v4)
    inet_ntop(AF_INET, address.bytes.data() + 12, buffer, sizeof buffer);
  else
    inet_ntop(AF_INET6, address.bytes.data(), buffer, sizeof buffer);
  return buffer;
}

bool ip_network::contains(const ip_address& address) const {
  if (base.v4 != address.v4)
    return false;
  const auto bits = static_cast<std::size_t>(base.v4 ? prefix + 96 : prefix);
  return same_prefix(base.bytes, address.bytes, bits);
}

std::optional<ip_network> parse_network(std::string_view text) {
  const auto slash = text.find('/');
  const auto base = parse_ip(text.substr(0, slash));
  if (!base)
    return std::nullopt;
  const int most = base->v4 ? 32 : 128;
  if (slash == std::string_view::npos)
    return ip_network{*base, most};
  const auto digits = text.substr(slash + 1);
  int prefix = 0;
  const auto* end = digits.data() + digits.size();
  auto [next, fault] = std::from_chars(digits.data(), end, prefix);
  if (digits.empty() || digits[0] == '-' || fault != std::errc{} || next != end
      || prefix > most)
    return std::nullopt;
  return ip_network{*base, prefix};
}

} // namespace postrider
