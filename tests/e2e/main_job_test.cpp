#include "tests/e2e/platform.hpp"

#include "core/signature.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <atomic>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

// S1.19-S1.24, S3.15-S3.17, S3.74-S3.76: the whole way of one event.
TEST(MainJob, AnEventSentByHttpArrivesSignedAndIsOnRecord) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url("/hook"));
  const auto event = here.send("order.paid", R"({"n": 1.10,  "n":2})");
  ASSERT_TRUE(shop.wait_for(1)) << here.nodes()[0]->log();
  const auto got = shop.arrivals().front();
  EXPECT_EQ(got.target, "/hook");
  EXPECT_EQ(got.body, R"({"n": 1.10,  "n":2})"); // G11: byte for byte
  EXPECT_EQ(got.find("X-Postrider-Event-Id"), event);
  EXPECT_EQ(got.find("X-Postrider-Attempt"), "0");
  const auto key = signing_key::parse(here.secret());
  ASSERT_TRUE(key);
  EXPECT_TRUE(verify_signature(*key, got.find("webhook-id"),
                               got.find("webhook-timestamp"),
                               got.find("webhook-signature"), got.body,
                               std::chrono::floor<std::chrono::seconds>(
                                   std::chrono::system_clock::now()),
                               60s));
  ASSERT_TRUE(here.settled());
  const auto id = got.find("webhook-id");
  EXPECT_NE(here.call("GET", "/v1/deliveries/" + id)
                .body.find("\"state\":\"succeeded\""),
            std::string::npos);
  EXPECT_NE(here.call("GET", "/v1/deliveries/" + id + "/attempts")
                .body.find("\"status_code\":204"),
            std::string::npos);
  EXPECT_EQ(here.call("GET", "/v1/events/" + event + "/payload").body,
            R"({"n": 1.10,  "n":2})");
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final"),
            "1");
}

// S4.1-S4.9: the producer's transaction carries the event.
TEST(MainJob, APublishThatIsRolledBackDeliversNothing) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  {
    pqxx::connection link{here.url()};
    pqxx::work lost{link};
    lost.exec("select postrider.publish('acme', 'order.paid', '{\"n\":1}')");
    lost.abort();
    pqxx::work kept{link};
    kept.exec("select postrider.publish('acme', 'order.paid', '{\"n\":2}')");
    kept.exec("savepoint s");
    kept.exec("select postrider.publish('acme', 'order.paid', '{\"n\":3}')");
    kept.exec("rollback to savepoint s");
    kept.exec("savepoint t");
    kept.exec("select postrider.publish('acme', 'order.paid', '{\"n\":4}')");
    kept.exec("release savepoint t");
    kept.commit();
  }
  ASSERT_TRUE(shop.wait_for(2));
  ASSERT_TRUE(here.settled());
  const auto seen = sightings(shop);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].body, "{\"n\":2}");
  EXPECT_EQ(seen[1].body, "{\"n\":4}");
}

// S1.29, S1.49, S1.57-S1.59: retried by the outbox under the same id.
TEST(MainJob, AFailureIsRetriedByTheOutboxUnderTheSameIdAndTheNextAttempt) {
  std::atomic<int> calls{0};
  receiver shop{
      [&](const arrival&) { return answer(calls++ < 2 ? 503 : 200, "later"); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("retry":"50ms 100ms 200ms")");
  here.send("order.paid", "{}");
  ASSERT_TRUE(shop.wait_for(3));
  ASSERT_TRUE(here.settled());
  const auto seen = sightings(shop);
  ASSERT_EQ(seen.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(seen[static_cast<std::size_t>(i)].attempt, i);
    EXPECT_EQ(seen[static_cast<std::size_t>(i)].id, seen[0].id);
  }
  EXPECT_EQ(here.sql("select string_agg(number || ':' || outcome || ':' || "
                     "final, ' ' order by number) from postrider.attempt"),
            "0:failed:false 1:failed:false 2:succeeded:true");
}

} // namespace
} // namespace postrider::testing
