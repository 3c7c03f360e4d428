#include "tests/e2e/platform.hpp"

#include "core/base64.hpp"
#include "core/secret_box.hpp"
#include "core/signature.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

bool signed_by(const arrival& got, const std::string& secret) {
  return verify_signature(*signing_key::parse(secret), got.find("webhook-id"),
                          got.find("webhook-timestamp"),
                          got.find("webhook-signature"), got.body,
                          std::chrono::floor<std::chrono::seconds>(
                              std::chrono::system_clock::now()),
                          60s);
}

/// Gives the endpoint one more secret, the newest.
void add_secret(const platform& here, const std::string& endpoint,
                const std::string& secret) {
  std::string key;
  for (char byte = 0; byte < 32; ++byte)
    key += byte; // the one that the nodes are started with
  const auto sealed = secret_box::make(key)->seal(
      signing_key::parse(secret)->bytes(), endpoint);
  here.sql(fmt::format("insert into postrider.endpoint_secret (endpoint, "
                       "sealed) select id, '\\x{}' from postrider.endpoint "
                       "returning 1",
                       encode_hex(sealed)));
}

// SIG-04: an endpoint that is used all the time is not read again, and its old
// secret stops signing all the same.
TEST(Secrets, AnExpiredOneStopsSigningWhileItsEndpointIsInUse) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  const auto id = here.endpoint(shop.url());
  const auto older = here.secret();
  const auto newer = signing_key::from_bytes(std::string(32, 'n'))->text();
  add_secret(here, id, newer);
  const auto expire = [&](const char* which, const char* when) {
    here.sql(fmt::format(
        "update postrider.endpoint_secret set expires_at = now() + interval "
        "'{}' where id = (select {}(id) from postrider.endpoint_secret) "
        "returning 1",
        when, which));
    // Tells the engine, which keeps what it reads now.
    here.sql("update postrider.endpoint set description = 'x' returning 1");
  };
  const auto next = [&] {
    const auto before = shop.arrivals().size();
    here.send("a.b", "1");
    EXPECT_TRUE(shop.wait_for(before + 1));
    return shop.arrivals().back();
  };
  expire("min", "3 s");
  arrival got;
  EXPECT_TRUE(eventually([&] {
    got = next();
    return signed_by(got, newer);
  }));
  EXPECT_TRUE(signed_by(got, older)) << "it has a while left";
  EXPECT_TRUE(eventually([&] {
    got = next();
    return !signed_by(got, older);
  }));
  EXPECT_TRUE(signed_by(got, newer));
  EXPECT_EQ(got.find("webhook-signature").find(' '), std::string::npos);
  // Without a live one nothing goes out unsigned.
  ASSERT_TRUE(here.settled());
  expire("max", "1500 ms");
  EXPECT_TRUE(eventually([&] {
    here.send("a.b", "1");
    EXPECT_TRUE(here.settled());
    return here.sql("select reason from postrider.attempt where final "
                    "order by delivery desc limit 1")
           == "unusable";
  }));
  for (const auto& one : shop.arrivals())
    EXPECT_TRUE(signed_by(one, newer) || signed_by(one, older));
}

// SIG-10: whatever fails, nobody who reads logs or answers learns a secret.
TEST(Secrets, OfAnEndpointStandInNoLogAndNoAnswer) {
  receiver shop{[](const arrival& got) {
    return got.target.find("good") != std::string::npos ? answer(204)
                                                        : answer(400, "bad");
  }};
  platform here;
  auto& node = here.start({{"LOG__LEVEL", "debug"}});
  here.tenant();
  const auto more =
      R"("headers":{"Authorization":"Bearer HDR-789"},"retry":"20ms")";
  std::uint16_t nobody = 0;
  {
    receiver gone{[](const arrival&) { return answer(204); }};
    nobody = gone.port();
  }
  std::vector<std::string> ids;
  for (const auto& url :
       {shop.url("/in/TOKEN-123?key=KEY-456"),
        shop.url("/good/TOKEN-123?key=KEY-456"),
        fmt::format("http://127.0.0.1:{}/TOKEN-123?key=KEY-456", nobody),
        std::string{"http://no-such-host.invalid/TOKEN-123?key=KEY-456"},
        fmt::format("https://127.0.0.1:{}/TOKEN-123?key=KEY-456", shop.port())})
    ids.push_back(
        here.endpoint(url, "*", more + std::string{",\"timeout_seconds\":1"}));
  const auto secret = here.secret();
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  ASSERT_EQ(shop.arrivals()[0].find("authorization"), "Bearer HDR-789");
  std::string seen = node.log();
  seen += here.call(node, "READY", "/metrics").body;
  seen += here.call(node, "READY", "/readyz").body;
  std::string deliveries = here.call("GET", "/v1/deliveries?tenant=acme").body;
  seen += deliveries;
  for (auto at = deliveries.find("dlv_"); at != std::string::npos;
       at = deliveries.find("dlv_", at + 1))
    seen += here.call("GET",
                      "/v1/deliveries/"
                          + deliveries.substr(at, deliveries.find('"', at) - at)
                          + "/attempts")
                .body;
  seen += here.sql("select string_agg(a::text, ' ') from postrider.attempt a");
  // The URL itself is for who may read the endpoint; its secrets for nobody.
  std::string endpoints = here.call("GET", "/v1/endpoints?tenant=acme").body;
  for (const auto& id : ids)
    endpoints += here.call("GET", "/v1/endpoints/" + id).body;
  for (const auto& word : {std::string{"TOKEN-123"}, std::string{"KEY-456"}})
    EXPECT_EQ(seen.find(word), std::string::npos)
        << seen.substr(seen.find(word) < 200 ? 0 : seen.find(word) - 200, 400);
  for (const auto& word : {std::string{"HDR-789"}, std::string{"whsec_"},
                           secret.substr(8, 20), here.key()})
    EXPECT_EQ((seen + endpoints).find(word), std::string::npos) << word;
}

} // namespace
} // namespace postrider::testing
