#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider {

/// An IP address as 128 bits; IPv4 stands in ::ffff:0:0/96.
struct ip_address {
  std::array<std::uint8_t, 16> bytes{};
  bool v4 = false;

  friend bool operator==(const ip_address&, const ip_address&) = default;
};

/// Dotted quad of exactly four plain decimal numbers, or IPv6 without zone.
std::optional<ip_address> parse_ip(std::string_view text);
std::string to_string(const ip_address& address);

/// A network in CIDR notation; an address alone is the whole length.
struct ip_network {
  ip_address base;
  int prefix = 0; ///< within the address's own family

  bool contains(const ip_address& address) const;
};
std::optional<ip_network> parse_network(std::string_view text);

/// Decides which addresses may be dialled. The one filter there is.
struct address_guard {
  /// May be called although they are not public.
  std::vector<ip_network> allow;
  /// May never be called, even if public or allowed.
  std::vector<ip_network> deny;
  /// May be called beside those that `refuse_port` lets through.
  std::vector<std::uint16_t> ports;

  /// Why the address is refused, in a word that is safe to show to a tenant
  /// (`loopback`, `private`, `link_local`, `metadata`, `reserved`, `denied`);
  /// nothing when it may be dialled. IPv6 forms that carry an IPv4 address
  /// are judged by that one. (DESIGN 7, RELIABILITY 6.1.)
  std::optional<std::string_view> refuse(const ip_address& address) const;

  /// `port` when the port may not be called: anything below 1024 but 80 and
  /// 443, and the usual ports of databases and brokers. (J-07.)
  std::optional<std::string_view> refuse_port(std::uint16_t port) const;
};

} // namespace postrider
