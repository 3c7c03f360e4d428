#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

script answer_after(std::chrono::milliseconds wait) {
  return {{step::kind::pause, "", wait},
          {step::kind::write, "HTTP/1.1 204 No Content\r\n\r\n", {}},
          {step::kind::keep, "", {}}};
}

// PG-11, G4; S1.28, S1.47, S3.43: what is held while bytes travel is the lease.
TEST(Promises, NoTransactionIsOpenWhileARequestIsUnderWay) {
  receiver shop{[](const arrival&) { return answer_after(3s); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  here.send("a.b", "{}");
  ASSERT_TRUE(shop.wait_for(1));
  // The node asks its own short questions all the time: none of them lasts.
  EXPECT_EQ(here.sql("select count(*) from pg_stat_activity where datname = "
                     "current_database() and pid <> pg_backend_pid() and "
                     "state like 'idle in transaction%'"),
            "0");
  EXPECT_EQ(here.sql("select count(*) from pg_stat_activity where datname = "
                     "current_database() and pid <> pg_backend_pid() and "
                     "xact_start < now() - interval '1 s'"),
            "0");
  // Anybody may have the row.
  EXPECT_EQ(here.sql("select id from postrider.delivery for update nowait"),
            "1");
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 1u);
}

// S1.51, LEASE-02: a request may take longer than a lease.
TEST(Promises, ALeaseIsRenewedWhileARequestTakesLongerThanIt) {
  receiver shop{[](const arrival&) { return answer_after(6s); }};
  platform here;
  here.start({{"HTTP__CONNECT_TIMEOUT", "1s"},
              {"HTTP__TIMEOUT", "2s"},
              {"DELIVERY__LEASE", "3s"},
              {"DELIVERY__HEARTBEAT", "500ms"}});
  here.tenant();
  here.endpoint(shop.url(), "*", R"("timeout_seconds":20)");
  const auto epochs = here.sql("select sum(epoch) from postrider.partition");
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 1u);
  EXPECT_EQ(here.sql("select string_agg(outcome, ' ') from postrider.attempt"),
            "succeeded");
  EXPECT_EQ(here.sql("select sum(epoch) from postrider.partition"), epochs)
      << "no partition changed hands";
}

// S1.26, S1.64-S1.66, S1.100, S3.12, S3.13, S3.48: first everything is on
// record, then it is sent; what has ended leaves the hot table and stays in
// the trail.
TEST(Promises, EverythingIsOnRecordBeforeItIsSentAndAfterwards) {
  std::atomic<platform*> platform_ready{nullptr};
  std::string seen;
  receiver shop{[&](const arrival&) {
    seen = platform_ready.load()->sql(
        "select (select count(*) from postrider.event) || ' ' || (select "
        "count(*) from postrider.delivery) || ' ' || (select count(*) from "
        "postrider.attempt)");
    return answer(204);
  }};
  platform here;
  platform_ready = &here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  here.send("a.b", "{}");
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(seen, "1 1 0");
  EXPECT_EQ(here.sql("select count(*) || ' ' || bool_and(final) from "
                     "postrider.attempt"),
            "1 true");
  const auto arrived = sightings(shop);
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(here.sql("select delivery from postrider.attempt"),
            fmt::format("{}", arrived[0].sequence));
}

// S1.57, S1.94, S1.97, S3.11, S3.56, S3.78, S4.32: whoever drops repeats by
// `webhook-id` has each effect once; the event's id is the same at every
// endpoint and attempt.
TEST(Promises, AReceiverThatDropsRepeatsByWebhookIdHasEachEffectOnce) {
  std::mutex mutex;
  std::set<std::string> processed;
  std::map<std::string, std::set<std::string>> ids_of_event;
  std::map<std::string, int> calls;
  int effects = 0;
  receiver shop{[&](const arrival& got) {
    const std::lock_guard lock{mutex};
    const auto id = got.find("webhook-id");
    ids_of_event[got.find("X-Postrider-Event-Id")].insert(id);
    if (processed.insert(id).second)
      ++effects;
    // Its work is done, and the answer gets lost at first.
    return ++calls[id] == 1 ? script{{step::kind::reset, "", {}}} : answer(204);
  }};
  platform here;
  here.start();
  here.tenant();
  for (const auto* path : {"/a", "/b"})
    here.endpoint(shop.url(path), "*", R"("retry":"100ms 100ms")");
  for (int i = 0; i < 10; ++i)
    here.send("a.b", fmt::format("{}", i));
  ASSERT_TRUE(here.settled());
  const std::lock_guard lock{mutex};
  EXPECT_EQ(effects, 20);
  EXPECT_EQ(shop.arrivals().size(), 40u);
  EXPECT_EQ(ids_of_event.size(), 10u);
  for (const auto& [event, ids] : ids_of_event)
    EXPECT_EQ(ids.size(), 2u) << event;
}

} // namespace
} // namespace postrider::testing
