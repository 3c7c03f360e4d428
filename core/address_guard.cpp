#include "core/address.hpp"

#include <algorithm>
#include <array>

namespace postrider {

namespace {

struct range {
  std::string_view text;
  std::string_view word;
};

// RELIABILITY 6.1. The first match counts, so the narrow ones come first.
constexpr std::array ranges_v4{
    range{"100.100.100.200", "metadata"}, range{"168.63.129.16", "metadata"},
    range{"169.254.169.254", "metadata"}, range{"127.0.0.0/8", "loopback"},
    range{"0.0.0.0/8", "loopback"},       range{"10.0.0.0/8", "private"},
    range{"172.16.0.0/12", "private"},    range{"192.168.0.0/16", "private"},
    range{"100.64.0.0/10", "private"},    range{"169.254.0.0/16", "link_local"},
    range{"192.0.0.0/24", "reserved"},    range{"192.0.2.0/24", "reserved"},
    range{"198.51.100.0/24", "reserved"}, range{"203.0.113.0/24", "reserved"},
    range{"192.88.99.0/24", "reserved"},  range{"198.18.0.0/15", "reserved"},
    range{"224.0.0.0/3", "reserved"},
};

constexpr std::array ranges_v6{
    range{"fd00:ec2::254", "metadata"},
    range{"fd20:ce::254", "metadata"},
    range{"::", "loopback"},
    range{"::1", "loopback"},
    range{"fc00::/7", "private"},
    range{"fec0::/10", "private"},
    range{"fe80::/10", "link_local"},
    range{"64:ff9b:1::/48", "reserved"},
    range{"2001::/23", "reserved"},
    range{"2001:db8::/32", "reserved"},
    range{"3fff::/20", "reserved"},
};

struct judged {
  ip_network network;
  std::string_view word;
};

template <std::size_t N>
std::array<judged, N> compile(const std::array<range, N>& ranges) {
  std::array<judged, N> result;
  std::transform(ranges.begin(), ranges.end(), result.begin(),
                 [](const range& each) {
                   return judged{parse_network(each.text).value(), each.word};
                 });
  return result;
}

template <std::size_t N>
std::optional<std::string_view> find(const std::array<judged, N>& ranges,
                                     const ip_address& address) {
  for (const auto& each : ranges)
    if (each.network.contains(address))
      return each.word;
  return std::nullopt;
}

// Where an IPv6 form of an IPv4 address keeps it.
struct carrier {
  ip_network network;
  std::size_t offset;
};

std::optional<ip_address> carried(const ip_address& address) {
  static const std::array carriers{
      carrier{parse_network("::ffff:0:0/96").value(), 12},
      carrier{parse_network("::ffff:0:0:0/96").value(), 12},
      carrier{parse_network("64:ff9b::/96").value(), 12},
      carrier{parse_network("2002::/16").value(), 2},
      carrier{parse_network("::/96").value(), 12},
  };
  for (const auto& each : carriers) {
    if (!each.network.contains(address))
      continue;
    ip_address inner;
    inner.v4 = true;
    inner.bytes[10] = inner.bytes[11] = 0xff;
    std::copy_n(address.bytes.begin()
                    + static_cast<std::ptrdiff_t>(each.offset),
                4, inner.bytes.begin() + 12);
    return inner;
  }
  return std::nullopt;
}

std::optional<std::string_view> refuse_public(const ip_address& address) {
  if (address.v4) {
    static const auto ranges = compile(ranges_v4);
    return find(ranges, address);
  }
  static const auto ranges = compile(ranges_v6);
  if (auto word = find(ranges, address))
    return word;
  if (const auto inner = carried(address))
    return refuse_public(*inner);
  static const auto global = parse_network("2000::/3").value();
  if (!global.contains(address))
    return "reserved";
  return std::nullopt;
}

bool any(const std::vector<ip_network>& networks, const ip_address& address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const auto& each) { return each.contains(address); });
}

} // namespace

std::optional<std::string_view>
address_guard::refuse(const ip_address& address) const {
  // What is denied or allowed as IPv4 is so in its IPv6 clothes too.
  const auto inner = address.v4 ? std::nullopt : carried(address);
  if (any(deny, address) || (inner && any(deny, *inner)))
    return "denied";
  if (any(allow, address) || (inner && any(allow, *inner)))
    return std::nullopt;
  return refuse_public(address);
}

std::optional<std::string_view>
address_guard::refuse_port(std::uint16_t port) const {
  // Services that a forged request could harm or that could read one as
  // commands of theirs.
  static constexpr std::array<std::uint16_t, 12> services{
      1433, 1521, 2375, 2379, 3306, 5432, 5672, 6379, 9042, 9200, 11211, 27017};
  if (std::find(ports.begin(), ports.end(), port) != ports.end())
    return std::nullopt;
  if (port == 80 || port == 443)
    return std::nullopt;
  if (port < 1024
      || std::find(services.begin(), services.end(), port) != services.end())
    return "port";
  return std::nullopt;
}

} // namespace postrider
