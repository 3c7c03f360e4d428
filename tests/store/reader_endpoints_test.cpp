#include "store/catalog.hpp"
#include "store/reader.hpp"
#include "tests/store/backlog.hpp"

#include <array>
#include <gtest/gtest.h>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using store::catalog;
using store::endpoint_fields;
using store::reader;

namespace {

const std::string sealing_key(32, 'k');

class ReaderOfEndpoints : public ::testing::Test, protected backlog {
protected:
  ReaderOfEndpoints() {
    calm.use_secret_key(sealing_key);
    in.use_secret_key(sealing_key);
  }

  static signing_key secret(char filler) {
    return *signing_key::from_bytes(std::string(32, filler));
  }
  static endpoint_fields fields() {
    endpoint_fields out;
    out.url = "https://receiver.example:8443/in?a=b";
    out.types = std::vector<std::string>{"order.*"};
    return out;
  }
  endpoint_ptr only() { return in.endpoints_since(0, 10).at(0); }

  catalog calm{url};
  reader in{url};
};

} // namespace

TEST_F(ReaderOfEndpoints, HaveNoTimeoutUnlessTheyNameOne) {
  calm.put_tenant("acme", "Acme");
  auto wanted = fields();
  wanted.timeout = std::chrono::seconds{20};
  const auto made = calm.create_endpoint("acme", "", wanted, {secret('a')});
  EXPECT_EQ(only()->timeout, std::chrono::seconds{20});
  EXPECT_EQ(only()->connect_timeout.count(), 0);
  endpoint_fields change;
  change.timeout = std::chrono::milliseconds{0};
  calm.change_endpoint(made->id, change, std::nullopt);
  EXPECT_EQ(only()->timeout.count(), 0);
}

TEST_F(ReaderOfEndpoints, ReadsAnEndpointAsItWasMade) {
  auto wanted = fields();
  wanted.ordering = "none";
  wanted.retry = "5s 30s";
  wanted.headers = std::vector<header>{{"X-A", "1"}};
  wanted.max_in_flight = 3;
  wanted.timeout = 20s;
  wanted.connect_timeout = 2s;
  const auto made =
      calm.create_endpoint("t", "u", wanted, {secret('b'), secret('a')});
  ASSERT_TRUE(made);
  const auto got = only();
  EXPECT_EQ(got->public_id, made->id);
  EXPECT_EQ(got->tenant, "t");
  EXPECT_EQ(got->version, made->version);
  EXPECT_FALSE(got->deleted);
  ASSERT_TRUE(got->target);
  EXPECT_EQ(got->target->authority(), "receiver.example:8443");
  EXPECT_EQ(got->order, ordering::none);
  EXPECT_EQ(got->retry, *parse_retry_policy("5s 30s"));
  EXPECT_EQ(got->headers, *wanted.headers);
  EXPECT_EQ(got->max_in_flight, 3);
  EXPECT_EQ(got->timeout, 20s);
  EXPECT_EQ(got->connect_timeout, 2s);
  ASSERT_EQ(got->keys.size(), 2u);
  EXPECT_EQ(got->keys[0].bytes(), secret('b').bytes());
  const std::array ids{got->id};
  EXPECT_EQ(in.endpoints(ids).at(0)->public_id, made->id);
}

TEST_F(ReaderOfEndpoints, SealsSecretsAtRest) {
  calm.create_endpoint("t", "", fields(), {secret('a')});
  EXPECT_EQ(db.one("select position('aaaaaaaa'::bytea in sealed) "
                   "from postrider.endpoint_secret"),
            "0");
}

TEST_F(ReaderOfEndpoints, LeavesOutSecretsThatExpiredOrCantBeOpened) {
  calm.create_endpoint("t", "", fields(), {secret('b'), secret('a')});
  db("update postrider.endpoint_secret set expires_at = now() - interval '1 s' "
     "where id = (select max(id) from postrider.endpoint_secret)");
  ASSERT_EQ(only()->keys.size(), 1u);
  EXPECT_EQ(only()->keys[0].bytes(), secret('a').bytes());
  in.use_secret_key(std::string(32, 'x'));
  EXPECT_EQ(only()->keys.size(), 0u);
  EXPECT_FALSE(only()->target) << "it would be sent unsigned";
  in.use_secret_key(sealing_key);
  EXPECT_TRUE(only()->target);
  db("update postrider.endpoint_secret set expires_at = now()");
  EXPECT_FALSE(only()->target) << "it would be sent unsigned";
}

// SIG-04: a cached endpoint has to know when a secret of it runs out.
TEST_F(ReaderOfEndpoints, ReadsWhenASecretExpires) {
  using std::chrono::system_clock;
  calm.create_endpoint("t", "", fields(), {secret('b'), secret('a')});
  db("update postrider.endpoint_secret set expires_at = now() "
     "+ interval '1 hour' where id = (select min(id) "
     "from postrider.endpoint_secret)");
  const auto got = only();
  ASSERT_EQ(got->keys.size(), 2u);
  const auto now =
      std::chrono::floor<std::chrono::seconds>(system_clock::now());
  EXPECT_TRUE(got->keys[0].live(now + 10'000h));
  EXPECT_TRUE(got->keys[1].live(now + 59min));
  EXPECT_FALSE(got->keys[1].live(now + 61min));
}

TEST_F(ReaderOfEndpoints, HasNoTargetWhenTheRowCantBeSentTo) { // HDR-01
  calm.create_endpoint("t", "", fields(), {});
  db("update postrider.endpoint set url = 'ftp://x', retry = 'never', "
     "headers = '[{\"name\": \"X-A\", \"value\": \"1\"}]'");
  EXPECT_FALSE(only()->target);
  EXPECT_EQ(only()->retry, *find_retry_policy("default"));
  EXPECT_EQ(only()->headers, (std::vector<header>{{"X-A", "1"}}));
  db("update postrider.endpoint set url = 'https://example.com/'");
  EXPECT_TRUE(only()->target);
  for (const auto* bad : {R"([{"name": "X-A", "value": "a\r\nX-B: 1"}])", "[5]",
                          "[{}]", R"([{"name": "Host", "value": "x"}])"}) {
    db(std::string{"update postrider.endpoint set headers = '"} + bad + "'");
    EXPECT_FALSE(only()->target) << bad;
    EXPECT_TRUE(only()->headers.empty());
  }
}

TEST_F(ReaderOfEndpoints, FollowsChangesByVersion) {
  const auto first = calm.create_endpoint("t", "", fields(), {});
  const auto second = calm.create_endpoint("t", "", fields(), {});
  const auto seen = in.endpoint_version();
  EXPECT_EQ(in.endpoints_since(seen, 10).size(), 0u);
  EXPECT_EQ(in.endpoints_since(0, 1).at(0)->public_id, first->id);
  endpoint_fields slower;
  slower.max_in_flight = 1;
  calm.change_endpoint(first->id, slower, {});
  ASSERT_TRUE(calm.delete_endpoint(second->id));
  const auto changed = in.endpoints_since(seen, 10);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0]->max_in_flight, 1);
  EXPECT_TRUE(changed[1]->deleted);
  EXPECT_EQ(in.endpoint_version(), changed[1]->version);
}
