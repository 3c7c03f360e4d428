#include "core/address.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

ip_address ip(std::string_view text) {
  return parse_ip(text).value();
}

TEST(IpAddress, ReadsFourPlainDecimalNumbersOnly) {
  EXPECT_EQ(to_string(ip("10.0.255.1")), "10.0.255.1");
  for (const auto* text :
       {"", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.04", "1..2.3",
        "0x7f.0.0.1", "1.2.3.4.", " 1.2.3.4", "1.2.3.4 ", "+1.2.3.4", "127.1",
        "2130706433", "1.2.3.-4"})
    EXPECT_FALSE(parse_ip(text)) << text;
}

TEST(IpAddress, ReadsIpv6WithoutZone) {
  EXPECT_EQ(to_string(ip("2001:DB8:0:0::1")), "2001:db8::1");
  EXPECT_FALSE(ip("::ffff:1.2.3.4").v4);
  for (const auto* text : {":", ":::", "fe80::1%lo", "1::2::3", "[::1]",
                           "::1.2.3", "12345::", "1:2:3:4:5:6:7:8:9"})
    EXPECT_FALSE(parse_ip(text)) << text;
  EXPECT_FALSE(parse_ip(std::string_view{"::1\0x", 5}));
}

TEST(IpNetwork, ContainsByPrefixWithinItsFamily) {
  const auto net = parse_network("10.32.0.0/11").value();
  EXPECT_TRUE(net.contains(ip("10.63.255.255")));
  EXPECT_FALSE(net.contains(ip("10.64.0.0")));
  EXPECT_FALSE(net.contains(ip("::ffff:10.32.0.1")));
  EXPECT_TRUE(parse_network("0.0.0.0/0")->contains(ip("8.8.8.8")));
  EXPECT_TRUE(parse_network("2001:db8::/33")->contains(ip("2001:db8:7fff::")));
  EXPECT_FALSE(parse_network("2001:db8::/33")->contains(ip("2001:db8:8000::")));
  EXPECT_TRUE(parse_network("::1")->contains(ip("::1")));
  EXPECT_FALSE(parse_network("::1")->contains(ip("::2")));
  for (const auto* text :
       {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "::/129",
        "x/8", "10.0.0.0/8/8", "/8", ""})
    EXPECT_FALSE(parse_network(text)) << text;
}

// RELIABILITY 6.1, J-05, URL-06, URL-09
TEST(AddressGuard, RefusesEveryAddressThatIsNotPublic) {
  const struct {
    const char* address;
    const char* word;
  } table[]{
      {"0.0.0.0", "loopback"},
      {"0.1.2.3", "loopback"},
      {"127.0.0.1", "loopback"},
      {"127.255.255.255", "loopback"},
      {"10.0.0.1", "private"},
      {"172.16.0.0", "private"},
      {"172.31.255.255", "private"},
      {"192.168.1.1", "private"},
      {"100.64.0.1", "private"},
      {"100.127.255.255", "private"},
      {"100.100.100.200", "metadata"},
      {"168.63.129.16", "metadata"},
      {"169.254.169.254", "metadata"},
      {"169.254.0.1", "link_local"},
      {"192.0.0.1", "reserved"},
      {"192.0.2.1", "reserved"},
      {"198.51.100.1", "reserved"},
      {"203.0.113.1", "reserved"},
      {"192.88.99.1", "reserved"},
      {"198.18.0.1", "reserved"},
      {"198.19.255.255", "reserved"},
      {"224.0.0.1", "reserved"},
      {"240.0.0.1", "reserved"},
      {"255.255.255.255", "reserved"},
      {"::", "loopback"},
      {"::1", "loopback"},
      {"::127.0.0.1", "loopback"},
      {"::169.254.169.254", "metadata"},
      {"::ffff:127.0.0.1", "loopback"},
      {"::ffff:a9fe:a9fe", "metadata"},
      {"::ffff:10.0.0.1", "private"},
      {"::ffff:0:7f00:1", "loopback"},
      {"64:ff9b::7f00:1", "loopback"},
      {"64:ff9b::a9fe:a9fe", "metadata"},
      {"64:ff9b:1::a9fe:a9fe", "reserved"},
      {"64:ff9b:1::7f00:1", "reserved"},
      {"2002:7f00:1::1", "loopback"},
      {"2002:a9fe:a9fe::1", "metadata"},
      {"2001:0:4136:e378:8000:63bf:3fff:fdd2", "reserved"},
      {"2001:db8::1", "reserved"},
      {"3fff::1", "reserved"},
      {"100::1", "reserved"},
      {"5f00::1", "reserved"},
      {"fd00:ec2::254", "metadata"},
      {"fd20:ce::254", "metadata"},
      {"fd12:3456:789a::1", "private"},
      {"fec0::1", "private"},
      {"fe80::1", "link_local"},
      {"ff02::1", "reserved"},
      {"4000::1", "reserved"},
  };
  const address_guard guard;
  for (const auto& each : table)
    EXPECT_EQ(guard.refuse(ip(each.address)).value_or("dialled"), each.word)
        << each.address;
}

TEST(AddressGuard, LetsPublicAddressesThrough) {
  const address_guard guard;
  for (const auto* address :
       {"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0", "126.255.255.255", "128.0.0.1", "223.255.255.255",
        "198.17.255.255", "198.20.0.0", "2606:4700::1111", "2a00::1",
        "2001:200::1", "::ffff:8.8.8.8", "2002:808:808::1"})
    EXPECT_FALSE(guard.refuse(ip(address))) << address;
}

TEST(AddressGuard, LetsAnAllowedNetworkThroughAndADeniedOneNever) {
  address_guard guard;
  guard.allow = {parse_network("127.0.0.0/8").value(),
                 parse_network("10.1.0.0/16").value()};
  guard.deny = {parse_network("10.1.2.0/24").value(),
                parse_network("8.8.8.8").value()};
  EXPECT_FALSE(guard.refuse(ip("127.0.0.1")));
  EXPECT_FALSE(guard.refuse(ip("::ffff:127.0.0.1")));
  EXPECT_FALSE(guard.refuse(ip("10.1.3.1")));
  EXPECT_EQ(guard.refuse(ip("10.1.2.1")), "denied");
  EXPECT_EQ(guard.refuse(ip("8.8.8.8")), "denied");
  EXPECT_EQ(guard.refuse(ip("::ffff:8.8.8.8")), "denied");
  EXPECT_EQ(guard.refuse(ip("10.2.0.1")), "private");
  EXPECT_EQ(guard.refuse(ip("::1")), "loopback");
}

// J-07, vector 6.1.13
TEST(AddressGuard, RefusesThePortsOfOtherServices) {
  address_guard guard;
  for (const int port : {22, 25, 110, 1023, 5432, 6379, 11211})
    EXPECT_EQ(guard.refuse_port(static_cast<std::uint16_t>(port)), "port")
        << port;
  for (const int port : {80, 443, 1024, 8080, 8443, 65535})
    EXPECT_FALSE(guard.refuse_port(static_cast<std::uint16_t>(port))) << port;
  guard.ports = {22};
  EXPECT_FALSE(guard.refuse_port(22));
}

} // namespace
} // namespace postrider
