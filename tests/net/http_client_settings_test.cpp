#include "tests/net/http_client_fixture.hpp"
#include "tests/support/certificates.hpp"

namespace postrider::net {
namespace {

http_client_options with(std::vector<ip_network> denied) {
  auto options = loopback_allowed();
  options.guard.deny = std::move(denied);
  return options;
}

// J-01
TEST(HttpClientSettings, ANewGuardHoldsForAnOpenConnectionToo) {
  receiver there{always(answer(200))};
  http_client client{with({})};
  EXPECT_EQ(post(client, there.url()).status, 200);
  client.apply(make_settings(with({parse_network("127.0.0.1").value()})));
  EXPECT_EQ(post(client, there.url()).error, attempt_error::address_blocked);
  client.apply(make_settings(with({})));
  EXPECT_EQ(post(client, there.url()).status, 200);
  EXPECT_EQ(there.connections(), 2);
}

TEST(HttpClientSettings, WhatIsUnderWayEndsUnderTheOldOnes) {
  receiver there{[](const arrival&) {
    return script{{step::kind::pause, "", 300ms},
                  {step::kind::write,
                   "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", 0ms},
                  {step::kind::keep, "", 0ms}};
  }};
  http_client client{with({})};
  std::promise<attempt_result> promise;
  client.send(request_to(there.url()), [&](attempt_result result) {
    promise.set_value(std::move(result));
  });
  ASSERT_TRUE(there.wait_for(1));
  client.apply(make_settings(with({parse_network("127.0.0.1").value()})));
  EXPECT_EQ(promise.get_future().get().status, 204);
  // And the connection is not used again.
  EXPECT_TRUE(eventually([&] { return client.gauges().idle == 0; }));
  EXPECT_EQ(post(client, there.url()).error, attempt_error::address_blocked);
}

TEST(HttpClientSettings, TrustChangesWithTheFileOfCertificates) {
  testing::certificates ours;
  testing::certificates others;
  const auto files = ours.issue({.names = {"IP:127.0.0.1"}});
  receiver there{
      always(answer(200)),
      {.tls = true, .certificate = files.certificate, .key = files.key}};
  auto options = loopback_allowed();
  options.ca_file = others.ca_file();
  http_client client{options};
  const auto where = there.url();
  EXPECT_EQ(post(client, where).error, attempt_error::tls_certificate);
  options.ca_file = ours.ca_file();
  client.apply(make_settings(options));
  EXPECT_EQ(post(client, where).status, 200);
}

TEST(HttpClientSettings, AreRefusedBeforeAnythingChanges) {
  auto options = loopback_allowed();
  options.ca_file = "/nowhere/ca.pem";
  EXPECT_THROW(make_settings(options), std::runtime_error);
}

TEST(HttpClientSettings, AreNoConcernOfAClientThatHasStopped) {
  http_client client{with({})};
  client.stop();
  client.apply(make_settings(with({})));
  EXPECT_EQ(client.gauges().active, 0U);
}

} // namespace
} // namespace postrider::net
