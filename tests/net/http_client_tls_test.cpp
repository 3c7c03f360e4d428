#include "tests/net/http_client_fixture.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/dns_server.hpp"
#include "tests/support/receiver_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

namespace postrider::net {
namespace {

using testing::certificate_request;
using testing::certificates;

class HttpClientTls : public ::testing::Test {
protected:
  receiver::options presenting(const certificate_request& what) {
    const auto files = authority.issue(what);
    receiver::options options;
    options.tls = true;
    options.certificate = files.certificate;
    options.key = files.key;
    return options;
  }

  http_client_options trusting() {
    auto options = loopback_allowed();
    options.ca_file = authority.ca_file();
    return options;
  }

  static std::string by_name(const receiver& there) {
    return "https://localhost:" + std::to_string(there.port()) + "/in";
  }

  certificates authority;
};

TEST_F(HttpClientTls, DeliversToAProvenName) {
  receiver there{always(answer(200, "ok")),
                 presenting({.names = {"DNS:localhost"}})};
  http_client client{trusting()};
  for (const bool reused : {false, true}) {
    const auto result = post(client, by_name(there));
    EXPECT_EQ(result.status, 200) << result.detail;
    EXPECT_EQ(result.body_excerpt, "ok");
    EXPECT_EQ(result.connection_reused, reused);
  }
  EXPECT_EQ(there.connections(), 1);
  EXPECT_EQ(there.arrivals().at(0).find("host"),
            "localhost:" + std::to_string(there.port()));
}

TEST_F(HttpClientTls, DeliversToAnAddressInTheCertificate) { // NET-03
  receiver there{always(answer(200)), presenting({.names = {"IP:127.0.0.1"}})};
  http_client client{trusting()};
  EXPECT_EQ(post(client, there.url()).status, 200);
}

TEST_F(HttpClientTls, SendsABodyOfManyRecords) {
  receiver there{always(answer(200)), presenting({.names = {"IP:127.0.0.1"}})};
  http_client client{trusting()};
  for (const std::size_t size : {12'288U, 12'289U, 5'000'000U}) {
    const std::string body(size, 'x');
    EXPECT_EQ(post(client, request_to(there.url(), body)).status, 200);
    EXPECT_EQ(there.arrivals().back().body, body);
  }
}

TEST_F(HttpClientTls, SendsNothingToAServerThatProvesNothing) { // NET-03, L-11
  const std::string with_nul{"localhost\0.evil.example", 23};
  const struct {
    const char* name;
    certificate_request certificate;
    const char* cause;
  } servers[]{
      {"expired",
       {.names = {"DNS:localhost"}, .valid_from_days = -9, .valid_to_days = -2},
       "expired"},
      {"not yet valid",
       {.names = {"DNS:localhost"}, .valid_from_days = 2},
       "not yet valid"},
      {"wrong name", {.names = {"DNS:other.example"}}, "hostname mismatch"},
      {"self-signed",
       {.names = {"DNS:localhost"}, .self_signed = true},
       "self-signed"},
      {"name only in CN", {.common_name = "localhost"}, "hostname mismatch"},
      {"partial wildcard", {.names = {"DNS:local*"}}, "hostname mismatch"},
      {"address for a name", {.names = {"IP:127.0.0.1"}}, "hostname mismatch"},
      {"weak key", {.names = {"DNS:localhost"}, .weak_key = true}, "too weak"},
      {"no intermediate",
       {.names = {"DNS:localhost"}, .intermediate_missing = true},
       "local issuer"},
      {"NUL in the CN", {.common_name = with_nul}, "hostname mismatch"},
      {"NUL in a name", {.names = {"DNS:" + with_nul}}, "hostname mismatch"},
  };
  http_client client{trusting()};
  for (const auto& each : servers) {
    receiver there{always(answer(200)), presenting(each.certificate)};
    const auto result = post(client, by_name(there));
    EXPECT_EQ(result.error, attempt_error::tls_certificate) << each.name;
    EXPECT_NE(result.detail.find(each.cause), std::string::npos)
        << each.name << ": " << result.detail;
    EXPECT_EQ(result.status, std::nullopt);
    EXPECT_TRUE(there.arrivals().empty()) << each.name;
  }
}

TEST_F(HttpClientTls, SpeaksNoTlsThatIsTooOld) { // NET-03
  auto options = presenting({.names = {"DNS:localhost"}});
  options.only_tls_1_0 = true;
  receiver there{always(answer(200)), options};
  http_client client{trusting()};
  const auto result = post(client, by_name(there));
  EXPECT_EQ(result.error, attempt_error::tls_failure);
  EXPECT_NE(result.detail.find("version"), std::string::npos) << result.detail;
  EXPECT_TRUE(there.arrivals().empty());
}

// URL-02: the dot that makes a name absolute is no part of what is proved.
TEST_F(HttpClientTls, AsksForTheNameWithoutTheDotAtItsEnd) {
  testing::dns_server names{[](const testing::dns_question&) {
    return std::vector<std::string>{"127.0.0.1"};
  }};
  receiver there{always(answer(200)),
                 presenting({.names = {"DNS:hook.example.com"}})};
  auto options = trusting();
  options.names = name_server{parse_ip("127.0.0.1").value(), names.port()};
  http_client client{options};
  const auto port = std::to_string(there.port());
  for (const auto* host : {"hook.example.com", "Hook.Example.com."}) {
    const auto result =
        post(client, "https://" + std::string{host} + ":" + port + "/in");
    EXPECT_EQ(result.status, 200) << result.detail;
    const auto seen = there.arrivals().back();
    EXPECT_EQ(seen.server_name, "hook.example.com");
    EXPECT_EQ(seen.find("host"), "hook.example.com:" + port);
  }
  EXPECT_EQ(there.connections(), 1) << "it is one origin";
}

TEST_F(HttpClientTls, RefusesAnAddressThatTheCertificateDoesNotHold) { // NET-03
  receiver there{always(answer(200)),
                 presenting({.common_name = "127.0.0.1",
                             .names = {"DNS:localhost", "DNS:127.0.0.1"}})};
  http_client client{trusting()};
  EXPECT_EQ(post(client, there.url()).error, attempt_error::tls_certificate);
  EXPECT_TRUE(there.arrivals().empty());
}

TEST_F(HttpClientTls, TrustsNoPrivateAuthorityUnasked) {
  receiver there{always(answer(200)), presenting({.names = {"DNS:localhost"}})};
  http_client client{loopback_allowed()};
  EXPECT_EQ(post(client, by_name(there)).error, attempt_error::tls_certificate);
}

TEST_F(HttpClientTls, SaysWhenThePeerSpeaksNoTls) {
  receiver plain{always(answer(200))};
  http_client client{trusting()};
  auto request =
      request_to("https://127.0.0.1:" + std::to_string(plain.port()) + "/");
  request.timeout = 500ms;
  EXPECT_EQ(post(client, std::move(request)).error, attempt_error::tls_failure);
  EXPECT_TRUE(plain.arrivals().empty());
}

TEST_F(HttpClientTls, EndsAHandshakeThatStallsAtTheDeadline) { // C-12
  const int silent = testing::listen_on("127.0.0.1", 0, 8);
  http_client client{trusting()};
  auto request = request_to(
      "https://127.0.0.1:" + std::to_string(testing::port_of(silent)) + "/");
  request.connect_timeout = 200ms;
  const auto result = post(client, std::move(request));
  EXPECT_EQ(result.error, attempt_error::tls_failure);
  EXPECT_LT(result.timings.total, 700ms);
  close(silent);
}

TEST_F(HttpClientTls, NeverFailsOnAStaleConnection) { // C-14
  receiver there{always({answer(200)[0], close_now}),
                 presenting({.names = {"IP:127.0.0.1"}})};
  http_client client{trusting()};
  for (int i = 0; i < 200; ++i) {
    const auto result = post(client, there.url());
    ASSERT_EQ(result.status, 200) << i << result.detail;
  }
}

TEST(HttpClientOptions, RefusesACaFileThatHoldsNoCertificate) {
  http_client_options options;
  options.ca_file = "/nonexistent/ca.pem";
  try {
    http_client client{options};
    FAIL() << "no exception";
  } catch (const std::runtime_error& fault) {
    EXPECT_NE(std::string{fault.what()}.find("/nonexistent/ca.pem"),
              std::string::npos);
  }
}

} // namespace
} // namespace postrider::net
