// What this node lacks is told from what the receiver does (C-17, C-20): on
// real networks that are made for it and hold nothing but their own loopback.
#include "tests/net/http_client_fixture.hpp"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

namespace postrider::net {
namespace {

/// Runs something on a thread whose network is a new one, and with it whatever
/// threads it starts. Says why it could not.
std::string on_own_network(const std::function<void()>& what) {
  std::string refusal;
  std::thread{[&] {
    if (unshare(CLONE_NEWNET) != 0)
      refusal = std::string{"no network of its own: "} + strerror(errno);
    else
      what();
  }}.join();
  return refusal;
}

bool raise_loopback() {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq lo{};
  std::strcpy(lo.ifr_name, "lo");
  lo.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool done = ioctl(socket, SIOCSIFFLAGS, &lo) == 0;
  close(socket);
  return done;
}

bool limit_ports(int first, int last) {
  std::ofstream range{"/proc/sys/net/ipv4/ip_local_port_range"};
  range << first << ' ' << last << std::flush;
  return range.good();
}

// C-20
TEST(HttpClientShortage, SaysThatThereIsNoRoute) {
  attempt_result result;
  const auto refusal = on_own_network([&] {
    http_client client{loopback_allowed()};
    result = post(client, "http://127.0.0.1:8080/");
  });
  if (!refusal.empty())
    GTEST_SKIP() << refusal;
  EXPECT_EQ(result.error, attempt_error::network_unreachable)
      << to_string(result.error) << ": " << result.detail;
}

// C-17
TEST(HttpClientShortage, BlamesThisNodeWhenItsPortsAreUsedUp) {
  constexpr int ports = 20;
  std::string missing;
  attempt_result full;
  attempt_result elsewhere;
  int connections = 0;
  auto refusal = on_own_network([&] {
    if (!raise_loopback() || !limit_ports(40'000, 40'000 + ports - 1)) {
      missing = "the range of ports can't be set";
      return;
    }
    receiver::options at;
    at.port = 8080;
    receiver there{always({pause(30s)}), at};
    at.address = "127.0.0.2"; // a port is taken for one address only
    receiver other{always(answer(200)), at};
    http_client client{loopback_allowed()};
    for (int i = 0; i < ports; ++i)
      client.send(request_to(there.url()), [](const attempt_result&) {});
    if (!eventually([&] { return there.connections() == ports; }))
      return;
    full = post(client, there.url());
    connections = there.connections();
    elsewhere = post(client, other.url());
  });
  if (refusal.empty())
    refusal = missing;
  if (!refusal.empty())
    GTEST_SKIP() << refusal;
  EXPECT_EQ(full.error, attempt_error::local_resources)
      << to_string(full.error) << ": " << full.detail;
  EXPECT_EQ(connections, ports);
  EXPECT_EQ(elsewhere.status, 200);
}

} // namespace
} // namespace postrider::net
