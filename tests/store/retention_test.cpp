#include "store/catalog.hpp"
#include "store/error.hpp"
#include "store/retention.hpp"
#include "tests/store/backlog.hpp"
#include "tests/support/aged_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using postrider::testing::sql;
using answer = store::retention::answer;

namespace {

class Retention : public ::testing::Test, protected backlog {
protected:
  Retention() { to = endpoint({"order.*"}); }

  /// Makes everything that there is so many days older, as if it had been
  /// published then; returns that day.
  day age(int days) {
    for (const auto& one : postrider::testing::make_older(days))
      db(one);
    const auto date = db.one(fmt::format(
        "select (now() at time zone 'UTC')::date - {} - '1970-01-01'::date",
        days));
    return day{std::chrono::days{std::stoi(date)}};
  }

  void end(const std::string& outcome) {
    db(fmt::format("with gone as (delete from postrider.delivery returning *) "
                   "insert into postrider.attempt (delivery, endpoint, event, "
                   "duration_ms, partition, number, sent, final, outcome, "
                   "started_at) select id, endpoint, event, 5, partition, "
                   "attempts, true, true, '{}', now() from gone",
                   outcome));
  }

  std::string events() { return count("event"); }
  /// Open deliveries of which the payload is gone: there must never be any.
  std::string orphans() {
    return db.one("select count(*) from postrider.delivery d where not exists "
                  "(select from postrider.event e where e.id = d.event)");
  }

  store::retention clean{url};
  std::string to;
};

} // namespace

TEST_F(Retention, DropsADayOfEventsThatNothingNeeds) {
  publish(3);
  end("succeeded");
  const auto past = age(40);
  publish(2);
  EXPECT_EQ(clean.drop_events(past, past), answer::gone);
  EXPECT_EQ(events(), "2");
  const auto left = clean.look();
  EXPECT_EQ(std::count(left.events.begin(), left.events.end(), past), 0);
  EXPECT_EQ(std::count(left.attempts.begin(), left.attempts.end(), past), 1);
  EXPECT_EQ(clean.drop_attempts(past), answer::gone);
  EXPECT_EQ(count("attempt"), "0");
}

// PG-03: what is open is never lost, whatever its age and state.
TEST_F(Retention, KeepsADayOfWhichAnyDeliveryIsOpen) {
  endpoint({"order.*"});
  publish(1); // for both
  const auto past = age(40);
  for (const auto* state :
       {"state = 'queued', due_at = null", "state = 'retrying', due_at = now()",
        "state = 'held', due_at = 'infinity'"}) {
    db(fmt::format("update postrider.delivery set {}", state));
    EXPECT_EQ(clean.drop_events(past, past), answer::needed) << state;
    EXPECT_EQ(clean.need(), day_need::open);
  }
  db("delete from postrider.delivery where endpoint = " + to);
  EXPECT_EQ(clean.drop_events(past, past), answer::needed);
  end("succeeded");
  EXPECT_EQ(clean.drop_events(past, past), answer::gone);
}

// PG-02: the age counts from the end, not from the beginning.
TEST_F(Retention, KeepsADayWithADeadLetterThatMayBeRetried) {
  publish(1);
  const auto past = age(40);
  for (const auto* outcome : {"failed", "cancelled"}) {
    if (outcome != std::string{"failed"}) {
      db("delete from postrider.attempt");
      publish(1);
      age(40);
    }
    end(outcome); // just now
    EXPECT_EQ(clean.drop_events(past, past + std::chrono::days{10}),
              answer::needed);
    EXPECT_EQ(clean.need(), day_need::dead_letters);
    EXPECT_EQ(clean.drop_events(past, std::nullopt), answer::needed);
  }
  EXPECT_EQ(clean.drop_events(past, past + std::chrono::days{41}),
            answer::gone);
}

TEST_F(Retention, LetsADeadLetterGoThatWasDeliveredLater) {
  publish(1);
  const auto past = age(40);
  end("failed");
  store::catalog calm{url};
  ASSERT_EQ(calm.retry(calm.deliveries({}, {}).rows.at(0).id),
            store::retry_answer::scheduled);
  EXPECT_EQ(clean.drop_events(past, past), answer::needed);
  EXPECT_EQ(clean.need(), day_need::open);
  end("succeeded");
  EXPECT_EQ(clean.drop_events(past, past), answer::gone);
}

// A look that was right before somebody put a dead letter back would cost its
// payload.
TEST_F(Retention, DoesNotBeginWhileADeadLetterIsPutBack) {
  publish(1);
  const auto past = age(40);
  end("failed");
  const auto aged = past + std::chrono::days{41};
  sql retrying{url};
  retrying("begin");
  retrying("select pg_advisory_xact_lock_shared(7305452004)");
  EXPECT_EQ(clean.drop_events(past, aged), answer::busy);
  store::catalog calm{url};
  ASSERT_EQ(calm.retry(calm.deliveries({}, {}).rows.at(0).id),
            store::retry_answer::scheduled);
  retrying("commit");
  EXPECT_EQ(clean.drop_events(past, aged), answer::needed);
  EXPECT_EQ(orphans(), "0");
}

TEST_F(Retention, MakesPuttingBackWaitAndThenFindNothing) {
  publish(1);
  const auto past = age(40);
  end("failed");
  store::catalog calm{url};
  const auto id = calm.deliveries({}, {}).rows.at(0).id;
  sql other{url};
  other("begin");
  other("select pg_advisory_xact_lock(7305452004)");
  auto answered = store::retry_answer::scheduled;
  std::thread retrying{[&] { answered = calm.retry(id); }};
  EXPECT_TRUE(postrider::testing::eventually([&] {
    return db.one("select count(*) from pg_locks where locktype = 'advisory' "
                  "and not granted and database = (select oid from pg_database "
                  "where datname = current_database())")
           == "1";
  }));
  other("drop table postrider."
        + db.one("select tableoid::regclass::text "
                 "from postrider.event")
              .substr(10));
  other("commit");
  retrying.join();
  EXPECT_EQ(answered, store::retry_answer::event_dropped);
  EXPECT_EQ(orphans(), "0");
  EXPECT_EQ(clean.look().events.size(), 9u);
  EXPECT_EQ(std::ranges::count(clean.look().events, past), 0);
}

// B-25: whoever reads or has written for long is not waited for, and nobody is
// made to wait behind it for longer than a moment.
TEST_F(Retention, GivesWayToWhoeverUsesTheTable) {
  publish(1);
  end("succeeded");
  const auto past = age(40);
  sql slow{url};
  slow("begin");
  slow("select count(*) from postrider.event");
  const auto from = std::chrono::steady_clock::now();
  EXPECT_EQ(clean.drop_events(past, past), answer::busy);
  EXPECT_LT(std::chrono::steady_clock::now() - from, 5s);
  publish(1); // its partition and the parent are free again
  slow("commit");
  EXPECT_EQ(clean.drop_events(past, past), answer::gone);
}

TEST_F(Retention, WaitsForATransactionThatHasWrittenThatDay) {
  publish(1);
  end("succeeded");
  const auto past = age(40);
  sql late{url};
  late("begin");
  late("update postrider.event set producer = 'x'"); // as an insert would lock
  EXPECT_EQ(clean.drop_events(past, past), answer::busy);
  late("commit");
  EXPECT_EQ(clean.drop_events(past, past), answer::gone);
}

TEST_F(Retention, IsDoneByOneNodeAtATime) {
  const auto past = age(40);
  sql other{url};
  other("begin");
  other("select pg_advisory_xact_lock(7305452004)");
  EXPECT_EQ(clean.drop_events(past, past), answer::busy);
  EXPECT_EQ(clean.drop_attempts(past), answer::busy);
  EXPECT_EQ(clean.drop_keys(1h, 10), std::nullopt);
  other("commit");
  EXPECT_EQ(clean.drop_events(past, past), answer::gone);
  EXPECT_EQ(clean.drop_attempts(past), answer::gone);
  // Another has done it meanwhile.
  EXPECT_EQ(clean.drop_events(past, past), answer::gone);
}

TEST_F(Retention, DropsOldKeysInChunksAndOnlyThose) {
  db("select postrider.publish('t', 'order.a', '{}'::text, key => 'k' || n) "
     "from generate_series(1, 25) as n");
  db("update postrider.event_key set created_at = now() - interval '31 days' "
     "where key <> 'k7'");
  EXPECT_EQ(clean.drop_keys(std::chrono::days{30}, 10), 10);
  EXPECT_EQ(clean.drop_keys(std::chrono::days{30}, 10), 10);
  EXPECT_EQ(clean.drop_keys(std::chrono::days{30}, 10), 4);
  EXPECT_EQ(db.one("select key from postrider.event_key"), "k7");
  EXPECT_EQ(clean.drop_keys(std::chrono::days{30}, 10), 0);
}

TEST_F(Retention, FindsOldKeysByTheirIndex) {
  db("insert into postrider.event_key (tenant, key, event, fingerprint) "
     "select 't', n::text, gen_random_uuid(), '' "
     "from generate_series(1, 20000) as n");
  db("analyze postrider.event_key");
  std::string plan;
  for (const auto& row :
       db("explain select ctid from postrider.event_key "
          "where created_at < now() - interval '30 days' "
          "order by created_at limit 1000 for update skip locked"))
    plan += row[0].c_str() + std::string{"\n"};
  EXPECT_NE(plan.find("event_key_created_at"), std::string::npos) << plan;
}
