#include "tests/net/http_client_fixture.hpp"
#include "tests/support/receiver_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace postrider::net {
namespace {

std::string at(const std::string& host, std::uint16_t port) {
  return "http://" + host + ":" + std::to_string(port) + "/";
}

TEST(HttpClientGuard, DialsNoLoopbackUnlessAllowed) { // I8, J-01, J-10
  receiver there{always(answer(200))};
  receiver::options six;
  six.address = "::1";
  six.port = there.port();
  receiver there_too{always(answer(200)), six};
  http_client client{{}};
  for (const auto* host : {"127.0.0.1", "localhost", "a.localhost", "[::1]",
                           "[::ffff:127.0.0.1]", "[::127.0.0.1]", "0.0.0.0",
                           "[::]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]"}) {
    const auto result = post(client, at(host, there.port()));
    EXPECT_EQ(result.error, attempt_error::address_blocked) << host;
    EXPECT_EQ(result.status, std::nullopt);
    // J-09: nothing of what is inside is shown.
    EXPECT_EQ(result.detail.find("127"), std::string::npos) << result.detail;
  }
  EXPECT_EQ(there.connections(), 0);
  EXPECT_EQ(there_too.connections(), 0);
}

TEST(HttpClientGuard, JudgesEveryAddressOfAName) { // J-03
  receiver::options six;
  six.address = "::1";
  receiver refused{always(answer(201)), six};
  receiver::options four;
  four.port = refused.port();
  receiver allowed{always(answer(200)), four};
  http_client_options options;
  options.guard.allow = {parse_network("127.0.0.1").value()};
  http_client client{options};
  EXPECT_EQ(post(client, at("localhost", refused.port())).status, 200);
  EXPECT_EQ(refused.connections(), 0);
}

TEST(HttpClientGuard, DeniesEvenWhatIsAllowed) {
  receiver there{always(answer(200))};
  auto options = loopback_allowed();
  options.guard.deny = {parse_network("127.0.0.1").value()};
  http_client client{options};
  const auto result = post(client, there.url());
  EXPECT_EQ(result.error, attempt_error::address_blocked);
  EXPECT_EQ(result.detail, "denied");
  EXPECT_EQ(there.connections(), 0);
}

TEST(HttpClientGuard, CallsNoPortOfAnotherService) { // J-07
  http_client client{loopback_allowed()};
  for (const int port : {22, 25, 5432, 6379}) {
    const auto result =
        post(client, at("127.0.0.1", static_cast<std::uint16_t>(port)));
    EXPECT_EQ(result.error, attempt_error::address_blocked) << port;
    EXPECT_EQ(result.detail, "port");
  }
}

TEST(HttpClientGuard, IgnoresProxyVariables) { // J-06
  receiver proxy{always(answer(500))};
  receiver there{always(answer(200))};
  for (const auto* name : {"HTTP_PROXY", "http_proxy", "ALL_PROXY"})
    setenv(name, proxy.url().c_str(), 1);
  http_client client{loopback_allowed()};
  EXPECT_EQ(post(client, there.url()).status, 200);
  EXPECT_EQ(proxy.connections(), 0);
  for (const auto* name : {"HTTP_PROXY", "http_proxy", "ALL_PROXY"})
    unsetenv(name);
}

/// A listener whose backlog is full, so that further connects hang (C-11).
class deaf_listener {
public:
  deaf_listener(const std::string& address, std::uint16_t port)
      : fd_{testing::listen_on(address, port, 0)} {
    sockaddr_storage where{};
    socklen_t size = sizeof where;
    getsockname(fd_, reinterpret_cast<sockaddr*>(&where), &size);
    for (int& each : fillers_) {
      each = socket(where.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
      connect(each, reinterpret_cast<sockaddr*>(&where), size);
    }
  }
  ~deaf_listener() {
    for (const int each : fillers_)
      close(each);
    close(fd_);
  }
  deaf_listener(const deaf_listener&) = delete;
  deaf_listener& operator=(const deaf_listener&) = delete;
  std::uint16_t port() const { return testing::port_of(fd_); }

private:
  int fd_;
  int fillers_[4];
};

TEST(HttpClientConnect, EndsAtItsTimeout) { // C-07, C-11
  deaf_listener there{"127.0.0.1", 0};
  http_client client{loopback_allowed()};
  auto request = request_to(at("127.0.0.1", there.port()));
  request.connect_timeout = 200ms;
  const auto result = post(client, std::move(request));
  EXPECT_EQ(result.error, attempt_error::connect_timeout);
  EXPECT_LT(result.timings.total, 700ms);
}

TEST(HttpClientConnect, TriesTheNextAddressBesideADeadOne) { // NET-01, C-16
  receiver there{always(answer(200))};
  deaf_listener dead{"::1", there.port()};
  http_client client{loopback_allowed()};
  const auto result = post(client, at("localhost", there.port()));
  EXPECT_EQ(result.status, 200);
  EXPECT_GE(result.timings.total, 200ms);
  EXPECT_LT(result.timings.total, 1000ms);
}

TEST(HttpClientConnect, BlamesThisNodeWhenItHasNoDescriptorLeft) { // C-17
  receiver there{always(answer(200))};
  http_client client{loopback_allowed()};
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &none);
  const auto result = post(client, there.url());
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(result.error, attempt_error::local_resources);
  EXPECT_EQ(there.connections(), 0);
  EXPECT_EQ(post(client, there.url()).status, 200);
}

TEST(HttpClientConnect, TriesTheNextAddressAfterARefusal) {
  receiver there{always(answer(200))}; // nobody listens on ::1 at this port
  http_client client{loopback_allowed()};
  const auto result = post(client, at("localhost", there.port()));
  EXPECT_EQ(result.status, 200);
  EXPECT_LT(result.timings.total, 200ms);
}

} // namespace
} // namespace postrider::net
