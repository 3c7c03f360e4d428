#include "tests/net/http_client_fixture.hpp"
#include "tests/support/dns_server.hpp"

#include <sys/resource.h>

#include <map>

namespace postrider::net {
namespace {

using testing::dns_question;
using testing::dns_server;
using addresses = std::vector<std::string>;

/// The one address that may be called here, as a public one could.
const std::string public_address = "127.0.0.9";

class HttpClientDns : public ::testing::Test {
protected:
  http_client_options asking(const dns_server& names) {
    http_client_options options;
    options.guard.allow = {parse_network(public_address).value()};
    options.names = name_server{parse_ip("127.0.0.1").value(), names.port()};
    return options;
  }

  static receiver::options at(const std::string& address,
                              std::uint16_t port = 0) {
    receiver::options options;
    options.address = address;
    options.port = port;
    return options;
  }

  std::string url_of(const std::string& name) const {
    return "http://" + name + ":" + std::to_string(there_.port()) + "/";
  }

  receiver there_{always(answer(200)), at(public_address)};
  /// Where a request must never arrive.
  receiver trap_{always(answer(200)), at("127.0.0.1", there_.port())};
};

// URL-09, J-02: the inner address counts and is not shown.
TEST_F(HttpClientDns, DialsNoTransitionAddressThatANameHas) {
  const std::map<std::string, addresses> zone{
      {"n1.bench.example", {"2002:a9fe:a9fe::1"}},
      {"n2.bench.example", {"64:ff9b::a9fe:a9fe"}},
      {"n3.bench.example", {"2001:0:4136:e378:8000:63bf:3fff:fdd2"}},
      {"n4.bench.example", {"64:ff9b:1::7f00:1"}},
      {"n5.bench.example", {"::ffff:0:127.0.0.1"}},
      {"n6.bench.example", {"2001:db8::1"}},
      {"n7.bench.example", {"::ffff:127.0.0.1"}},
      {"n8.bench.example", {"::127.0.0.1", "10.0.0.1", "fd00::1"}},
  };
  dns_server names{
      [&](const dns_question& asked) { return zone.at(asked.name); }};
  http_client client{asking(names)};
  for (const auto& [name, answers] : zone) {
    const auto result = post(client, url_of(name));
    EXPECT_EQ(result.error, attempt_error::address_blocked) << name;
    EXPECT_EQ(result.detail.find_first_of("0123456789:"), std::string::npos)
        << result.detail;
  }
  EXPECT_EQ(names.lookups(), static_cast<int>(zone.size()));
  EXPECT_EQ(trap_.connections(), 0);
}

// URL-11, J-04: the name answers by turns, public and not.
TEST_F(HttpClientDns, DialsTheAnswerThatItJudgedAndNoOther) {
  const addresses turns[]{
      {public_address}, {"169.254.169.254"}, {public_address}, {"127.0.0.1"}};
  dns_server names{[&](const dns_question& asked) {
    return turns[static_cast<std::size_t>(asked.number) % 4];
  }};
  for (const bool reuse : {false, true}) {
    auto options = asking(names);
    if (!reuse)
      options.max_connection_age = 0ms;
    const auto lookups = names.lookups();
    const auto connections = there_.connections();
    http_client client{options};
    int delivered = 0;
    int blocked = 0;
    for (int i = 0; i < 200; ++i) {
      const auto result = post(client, url_of("r.bench.example"));
      delivered += result.status == 200;
      blocked += result.error == attempt_error::address_blocked;
    }
    EXPECT_EQ(delivered + blocked, 200);
    EXPECT_EQ(delivered, reuse ? 200 : 100);
    // One lookup for each connect or refusal.
    EXPECT_EQ(names.lookups() - lookups,
              there_.connections() - connections + blocked);
  }
  EXPECT_EQ(trap_.connections(), 0);
}

// C-15, J-03, NET-01: of several addresses only those that may be called.
TEST_F(HttpClientDns, LeavesOutWhatMayNotBeCalledOfAMixedAnswer) {
  dns_server names{[](const dns_question&) {
    return addresses{"127.0.0.1", "10.0.0.1", "::1", public_address,
                     "64:ff9b::7f00:1"};
  }};
  http_client client{asking(names)};
  EXPECT_EQ(post(client, url_of("mixed.bench.example")).status, 200);
  EXPECT_EQ(there_.connections(), 1);
  EXPECT_EQ(trap_.connections(), 0);
}

TEST_F(HttpClientDns, FailsWhenTheNameHasNoAddress) {
  dns_server names{[](const dns_question& asked) -> std::optional<addresses> {
    if (asked.name == "gone.bench.example")
      return std::nullopt;
    return addresses{};
  }};
  http_client client{asking(names)};
  for (const auto* name : {"gone.bench.example", "empty.bench.example"})
    EXPECT_EQ(post(client, url_of(name)).error, attempt_error::dns_failure)
        << name;
}

// Nobody knows then whether the name exists: it is not the endpoint's fault.
TEST_F(HttpClientDns, TellsAServerWithoutAnAnswerFromANameThatDoesNotExist) {
  dns_server names{
      [](const dns_question&) { return addresses{public_address}; }};
  http_client client{asking(names)};
  names.be(dns_server::mood::failing);
  EXPECT_EQ(post(client, url_of("a.bench.example")).error,
            attempt_error::dns_unavailable);
  names.be(dns_server::mood::silent);
  auto patient = request_to(url_of("b.bench.example"));
  patient.connect_timeout = 200ms;
  EXPECT_EQ(post(client, std::move(patient)).error,
            attempt_error::dns_unavailable);
  names.be(dns_server::mood::answering);
  EXPECT_EQ(post(client, url_of("c.bench.example")).status, 200);
}

TEST_F(HttpClientDns, TakesAMissingServerForNoAnswer) {
  http_client_options options;
  {
    dns_server gone{[](const dns_question&) { return addresses{}; }};
    options = asking(gone);
  }
  http_client client{options};
  EXPECT_EQ(post(client, url_of("a.bench.example")).error,
            attempt_error::dns_unavailable);
}

// C-17: the lookup needs a descriptor before the connection does.
TEST_F(HttpClientDns, BlamesThisNodeWhenItHasNoDescriptorToAskWith) {
  dns_server names{
      [](const dns_question&) { return addresses{public_address}; }};
  http_client client{asking(names)};
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &none);
  const auto result = post(client, url_of("a.bench.example"));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(result.error, attempt_error::local_resources)
      << to_string(result.error) << ": " << result.detail;
  EXPECT_EQ(names.lookups(), 0);
  const auto again = post(client, url_of("a.bench.example"));
  EXPECT_EQ(again.status, 200) << to_string(again.error) << ": "
                               << again.detail;
}

// LIFE-02's kind: a name that moves is called where it is now.
TEST_F(HttpClientDns, AsksAgainForEveryConnection) {
  receiver moved{always(answer(201)), at("127.0.0.10", there_.port())};
  std::atomic<bool> has_moved{false};
  dns_server names{[&](const dns_question&) {
    return addresses{has_moved ? "127.0.0.10" : public_address};
  }};
  auto options = asking(names);
  options.guard.allow.push_back(parse_network("127.0.0.10").value());
  options.max_connection_age = 0ms;
  http_client client{options};
  EXPECT_EQ(post(client, url_of("m.bench.example")).status, 200);
  has_moved = true;
  EXPECT_EQ(post(client, url_of("m.bench.example")).status, 201);
}

} // namespace
} // namespace postrider::net
