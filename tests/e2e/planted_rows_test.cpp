#include "tests/e2e/platform.hpp"

#include "core/signature.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <chrono>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

// HDR-01, URL-06, H-08, and "never a row that makes every worker fail": rows
// that only SQL could have made bad end on record by themselves, and whoever
// shares their partition does not notice.
class PlantedRows : public ::testing::Test {
protected:
  PlantedRows() {
    node_ = &here_.start();
    here_.tenant();
    bad_ = here_.endpoint(shop_.url("/bad"), "*", R"("retry":"30ms")");
    good_ = here_.endpoint(shop_.url("/good"));
    // Both in one partition.
    here_.sql("update postrider.endpoint set partition = 7 returning 1");
  }

  /// Changes the row of the endpoint that is to suffer. The API can still work
  /// on it, which also tells the engine at once.
  void plant(const std::string& assignment) {
    here_.sql("update postrider.endpoint set " + assignment
              + " where url not like '%/good' returning 1");
    EXPECT_EQ(here_
                  .call("PATCH", "/v1/endpoints/" + bad_,
                        "{\"description\":\"as it is\"}")
                  .status,
              200);
  }

  /// Sends an event to both and waits until each delivery has ended.
  void send() {
    here_.send("a.b", "{\"n\":1}");
    ASSERT_TRUE(here_.settled(20s)) << node_->log();
    EXPECT_EQ(arrivals("/good"), ++sent_);
    EXPECT_LT(node_->wait(0ms), 0) << node_->log();
    EXPECT_EQ(here_.call(*node_, "READY", "/readyz").status, 200);
  }

  std::size_t arrivals(const std::string& path) const {
    std::size_t out = 0;
    for (const auto& one : shop_.arrivals())
      out += one.target == path;
    return out;
  }

  /// How the last delivery to the bad endpoint ended.
  std::string ending() const {
    return here_.sql(
        "select a.outcome || ':' || coalesce(a.reason, '') "
        "from postrider.attempt a join postrider.endpoint e "
        "on e.id = a.endpoint where a.final and e.url not like '%/good' "
        "order by a.delivery desc limit 1");
  }

  receiver shop_{[](const arrival&) { return answer(204); }};
  platform here_;
  node_process* node_ = nullptr;
  std::string bad_;
  std::string good_;
  std::size_t sent_ = 0;
};

// LIFE-14
TEST_F(PlantedRows, AUrlThatCantBeDialledEndsAsUnusable) {
  for (const auto* url :
       {"no url", "ftp://example.com/", "http://127.0.0.1:99999/bad", "",
        "http://exa mple.com/bad"}) {
    plant(fmt::format("url = '{}'", url));
    send();
    EXPECT_EQ(ending(), "failed:unusable") << url;
  }
  EXPECT_EQ(arrivals("/bad"), 0u);
}

// URL-06, URL-08: what the API refuses is refused again where it is dialled.
TEST(PlantedAddresses, AnInnerAddressIsNotDialledInWhateverSpelling) {
  receiver trap{[](const arrival&) { return answer(204); }};
  receiver::options six;
  six.address = "::1";
  six.port = trap.port();
  receiver trap_too{[](const arrival&) { return answer(204); }, six};
  platform here;
  here.start({{"GUARD__ALLOW", "10.255.255.0/24"}});
  here.tenant();
  const std::vector<std::string> hosts{
      "[::1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "[0:0:0:0:0:ffff:a9fe:a9fe]",
      "[fd12:3456:789a::1]",
      "[fe80::1%25lo]",
      "[::]",
      "[::169.254.169.254]",
      "[64:ff9b::7f00:1]",
      "[2002:7f00:1::1]",
      "2130706433",
      "0x7f000001",
      "0177.0.0.1",
      "127.1",
      "0x7f.1",
      "127.0.0.1.",
      "0",
      "127.0.0.1",
      "localhost",
      "LOCALHOST.",
      "\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1",
      "127\xe3\x80\x82"
      "0\xe3\x80\x82"
      "0\xe3\x80\x82"
      "1"};
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    here.endpoint(fmt::format("http://receiver.example/{}", i), "*",
                  R"("retry":"20ms")");
    here.sql(fmt::format("update postrider.endpoint set url = 'http://{}:{}/' "
                         "where url like '%.example/{}' returning 1",
                         hosts[i], trap.port(), i));
  }
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final and "
                     "reason in ('blocked_address', 'unusable')"),
            std::to_string(hosts.size()));
  // J-09: nothing of what is inside is shown.
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt a where "
                     "coalesce(error, '') || coalesce(response, '') "
                     "~ '(127|169|::)'"),
            "0");
  EXPECT_EQ(trap.connections() + trap_too.connections(), 0);
}

TEST_F(PlantedRows, AHeaderThatWouldEndItsLineIsNeverSent) {
  for (const auto* headers :
       {R"([{"name": "X-A", "value": "a\r\nX-Injected: 1"}])",
        R"([{"name": "X-B", "value": "a\nb"}])",
        R"([{"name": "X-C\r\nY", "value": "1"}])",
        R"([{"name": "", "value": "x"}])", R"([{"name": "X E", "value": "1"}])",
        R"([{"name": "X-F", "value": 123}])",
        R"([{"name": "Content-Length", "value": "0"}])",
        R"([{"name": "webhook-signature", "value": "v1,x"}])",
        R"([{"X-A": "1"}])", R"(["X-A"])"}) {
    plant(fmt::format("headers = '{}'", headers));
    send();
    EXPECT_EQ(ending(), "failed:unusable") << headers;
  }
  EXPECT_EQ(arrivals("/bad"), 0u);
  // It works again as soon as the row is mended.
  plant("headers = '[]'");
  send();
  EXPECT_EQ(arrivals("/bad"), 1u);
}

TEST_F(PlantedRows, AnUnusableSecretSendsNothingUnsigned) {
  here_.sql("update postrider.endpoint_secret set sealed = '\\x00' where "
            "endpoint = (select id from postrider.endpoint "
            "where url like '%/bad') returning 1");
  plant("description = ''");
  send();
  EXPECT_EQ(ending(), "failed:unusable");
  EXPECT_EQ(arrivals("/bad"), 0u);
  for (const auto& one : shop_.arrivals())
    EXPECT_FALSE(one.find("webhook-signature").empty());
}

TEST_F(PlantedRows, ARetryPolicyThatCantBeReadIsTheDefaultOne) {
  plant("retry = 'never, please'");
  send();
  EXPECT_EQ(ending(), "succeeded:");
}

TEST_F(PlantedRows, AnEventWithABadHeaderOrWithoutItsRowEndsAsUnusable) {
  for (const auto* change :
       {"update postrider.event set headers = "
        "'[{\"name\": \"X-A\", \"value\": \"\\n\"}]' where type = 'bad.event'",
        "update postrider.event set headers = '{\"X-A\": \"1\"}' "
        "where type = 'bad.event'",
        "update postrider.event set headers = 'null' "
        "where type = 'bad.event'",
        "delete from postrider.event where type = 'bad.event'"}) {
    pqxx::connection link{here_.url()};
    pqxx::work work{link};
    work.exec("select postrider.publish('acme', 'bad.event', '{}'::text)");
    work.exec(change);
    work.exec("select postrider.publish('acme', 'a.b', '{\"n\":2}'::text)");
    work.commit();
    ASSERT_TRUE(here_.settled(20s)) << node_->log();
    EXPECT_EQ(arrivals("/good"), ++sent_) << change;
  }
  EXPECT_EQ(here_.sql("select count(*) from postrider.attempt where final "
                      "and outcome = 'failed' and reason = 'unusable' "
                      "and not sent"),
            "8");
}

// What the content type says is the producer's word: the bytes go as they are.
TEST_F(PlantedRows, APayloadThatIsNotWhatItsTypeSaysGoesAsItIs) {
  pqxx::connection link{here_.url()};
  pqxx::work work{link};
  work.exec("select postrider.publish('acme', 'a.b', '{}'::text)");
  work.exec("update postrider.event set payload = '\\x00ff7b0d0a'");
  work.exec("select postrider.publish('acme', 'a.b', '{}'::text)");
  work.exec("update postrider.event set payload = '' "
            "where payload = '{}'::text::bytea");
  work.commit();
  ASSERT_TRUE(here_.settled(20s));
  std::multiset<std::string> bodies;
  for (const auto& one : shop_.arrivals())
    bodies.insert(one.body);
  const std::string odd{"\x00\xff\x7b\x0d\x0a", 5};
  EXPECT_EQ(bodies, (std::multiset<std::string>{"", "", odd, odd}));
}

// A delivery whose endpoint or partition is not there, or that stands in
// another partition than its endpoint.
TEST_F(PlantedRows, ADeliveryOfNoEndpointEndsOnRecord) {
  here_.send("a.b", "{}");
  ASSERT_TRUE(here_.settled());
  ++sent_;
  here_.sql("insert into postrider.delivery "
            "(endpoint, stream, deadline, event, size, partition) "
            "select 999999, 0, now() + '1 h', id, 2, 7 from postrider.event "
            "returning 1");
  here_.sql("insert into postrider.delivery "
            "(endpoint, stream, deadline, event, size, partition) "
            "select 999999, 0, now() - interval '1 h', gen_random_uuid(), "
            "-5, 7 returning 1");
  send();
  EXPECT_EQ(here_.sql("select count(*) from postrider.attempt where final "
                      "and endpoint = 999999"),
            "2");
}

} // namespace
} // namespace postrider::testing
