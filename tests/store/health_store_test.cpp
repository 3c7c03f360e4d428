#include "store/health_store.hpp"
#include "store/reader.hpp"
#include "tests/store/backlog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using postrider::testing::node_of;
using store::health_move;

namespace {

class HealthStore : public ::testing::Test, protected backlog {
protected:
  HealthStore() {
    key = std::stoll(endpoint({"order.*"}));
    own(1, 1);
  }

  /// A move by the holder, on top of what is on record.
  health_move to(health_state state) {
    health_move out;
    out.endpoint = key;
    out.epoch = 1;
    out.known = std::stoll(db.one(
        "select coalesce(max(revision), 0) from postrider.endpoint_health"));
    out.name = "ep_1";
    out.state = state;
    out.cause = health_cause::threshold;
    if (holds(state))
      out.trial_in = 5s;
    out.in_incident = state == health_state::suspended;
    out.retire_after = 168h;
    out.held_max = 1'000'000;
    return out;
  }
  bool move(health_state state) { return keeper.move(to(state)).has_value(); }
  std::string record(const std::string& what) {
    return db.one("select " + what + " from postrider.endpoint_health");
  }
  std::string states() {
    return db.one("select coalesce(string_agg(state, ' ' order by id), '') "
                  "from postrider.delivery");
  }
  std::string noted() {
    return db.one("select coalesce(string_agg(concat(outcome, ':', reason), "
                  "' ' order by delivery), '') from postrider.attempt");
  }
  std::string news() {
    return db.one("select coalesce(string_agg(type, ' ' order by id), '') "
                  "from postrider.event where tenant = 'postrider'");
  }
  store::chunk_done hold(std::int64_t after = 0, std::int64_t epoch = 1) {
    return keeper.hold(key, 7, epoch, after);
  }
  store::chunk_done cancel(std::vector<std::int64_t> in_flight = {}) {
    return keeper.cancel(key, 7, 1, 0, in_flight);
  }
  /// Rows that stand there at once.
  void pile_up(int many, const std::string& columns = "'queued', null") {
    db(fmt::format("insert into postrider.delivery (endpoint, stream, "
                   "deadline, event, size, partition, state, due_at) "
                   "select {}, 0, now() + '1 d', gen_random_uuid(), 2, 7, {} "
                   "from generate_series(1, {})",
                   key, columns, many));
  }

  std::int64_t key = 0;
  store::health_store keeper{url, node_of(1)};
  store::health_store other{url, node_of(2)};
};

} // namespace

// -- moves -------------------------------------------------------------------

TEST_F(HealthStore, MovesUnderTheLeaseAndTellsInTheSameTransaction) {
  const auto done = keeper.move(to(health_state::degraded));
  ASSERT_TRUE(done);
  EXPECT_EQ(record("concat_ws(' ', state, cause, origin, intake, releasing)"),
            "degraded threshold engine held f");
  EXPECT_EQ(record("revision"), std::to_string(*done));
  EXPECT_EQ(record("trial_at between now() + '4 s' and now() + '5.5 s'"), "t");
  EXPECT_EQ(news(), "endpoint.degraded");
  const auto read = keeper.record(key);
  EXPECT_EQ(read.of.state, health_state::degraded);
  EXPECT_EQ(read.revision, *done);
}

TEST_F(HealthStore, MovesNothingForWhoDoesNotHoldThePartition) {
  auto one = to(health_state::degraded);
  EXPECT_FALSE(other.move(one));
  one.epoch = 2;
  EXPECT_FALSE(keeper.move(one));
  EXPECT_EQ(count("endpoint_health"), "0");
  EXPECT_EQ(news(), "");
}

TEST_F(HealthStore, MovesNothingThatSomebodyElseHasChanged) {
  const auto stale = to(health_state::degraded);
  db(fmt::format("select postrider.operate_health({}, 'ep', 'pause', '')",
                 key));
  EXPECT_FALSE(keeper.move(stale));
  EXPECT_EQ(record("concat_ws(' ', state, paused)"), "healthy t");
  EXPECT_TRUE(move(health_state::degraded));
  EXPECT_EQ(record("concat_ws(' ', state, paused)"), "degraded t");
}

TEST_F(HealthStore, OfTwoHoldersWithOneRevisionOneMoves) {
  const auto one = to(health_state::degraded);
  store::health_store twin{url, node_of(1)};
  int moved = 0;
  std::thread beside{[&] { moved += twin.move(one).has_value(); }};
  const bool here = keeper.move(one).has_value();
  beside.join();
  EXPECT_EQ(moved + here, 1);
}

TEST_F(HealthStore, NeverLeavesDisabledButNotesThatAllIsDone) {
  db(fmt::format("select postrider.operate_health({}, 'ep', 'disable', 'no')",
                 key));
  EXPECT_EQ(record("releasing"), "t") << "somebody has to cancel what is open";
  for (const auto state :
       {health_state::healthy, health_state::degraded, health_state::suspended})
    EXPECT_FALSE(move(state));
  EXPECT_TRUE(move(health_state::disabled));
  EXPECT_EQ(record("concat_ws(' ', state, releasing, origin, note)"),
            "disabled f operator no");
  EXPECT_EQ(news(), "endpoint.disabled");
}

TEST_F(HealthStore, KeepsTheBeginningOfAnIncident) {
  ASSERT_TRUE(move(health_state::suspended));
  db("update postrider.endpoint_health set suspended_since = "
     "suspended_since - interval '1 d'");
  const auto since = record("suspended_since");
  auto back = to(health_state::degraded);
  back.in_incident = true;
  ASSERT_TRUE(keeper.move(back));
  EXPECT_EQ(record("retire_at"), "null");
  ASSERT_TRUE(move(health_state::suspended));
  EXPECT_EQ(record("suspended_since"), since);
  EXPECT_EQ(record("retire_at = suspended_since + '168 h'"), "t");
  ASSERT_TRUE(move(health_state::healthy));
  EXPECT_EQ(record("suspended_since"), "null");
}

// -- chunks ------------------------------------------------------------------

TEST_F(HealthStore, HoldsWhatIsQueuedOrDueAndNoLaterRetry) {
  pile_up(1);
  pile_up(1, "'retrying', now() - interval '1 s'");
  pile_up(1, "'retrying', now() + interval '1 h'");
  const auto done = hold();
  EXPECT_EQ(done.rows, 2);
  EXPECT_TRUE(done.whole);
  EXPECT_EQ(states(), "held held retrying");
  EXPECT_EQ(hold().rows, 0);
}

TEST_F(HealthStore, HoldsChunkByChunkFromWhereItStopped) {
  pile_up(2'500);
  auto done = hold();
  EXPECT_EQ(done.rows, 1'000);
  EXPECT_FALSE(done.whole);
  done = hold(done.upto);
  EXPECT_EQ(done.rows, 1'000);
  done = hold(done.upto);
  EXPECT_EQ(done.rows, 500);
  EXPECT_TRUE(done.whole);
  EXPECT_EQ(db.one("select count(*) from postrider.delivery "
                   "where state = 'queued'"),
            "0");
}

TEST_F(HealthStore, ChangesNothingOpenWithoutTheLease) {
  pile_up(2);
  EXPECT_EQ(hold(0, 2).rows, 0);
  EXPECT_EQ(other.hold(key, 7, 1, 0).rows, 0);
  EXPECT_EQ(other.cancel(key, 7, 1, 0, {}).rows, 0);
  EXPECT_EQ(states(), "queued queued");
}

// A settlement that is being written never waits in a circle with it.
TEST_F(HealthStore, PassesOverWhatASettlementHasLocked) {
  pile_up(3);
  postrider::testing::sql writer{url};
  writer("begin");
  writer("select from postrider.delivery where id = "
         "(select min(id) + 1 from postrider.delivery) for update");
  const auto done = hold();
  EXPECT_EQ(done.rows, 2);
  EXPECT_TRUE(done.whole);
  EXPECT_EQ(cancel().rows, 2);
  writer("commit");
  EXPECT_EQ(states(), "queued");
}

TEST_F(HealthStore, CancelsWhatIsOpenButForWhatIsInFlight) {
  pile_up(1);
  pile_up(1, "'held', 'infinity'");
  pile_up(1, "'retrying', now() + interval '1 h'");
  const auto first =
      std::stoll(db.one("select min(id) from postrider.delivery"));
  EXPECT_EQ(cancel({first}).rows, 2);
  EXPECT_EQ(states(), "queued");
  EXPECT_EQ(noted(), "cancelled:endpoint_disabled cancelled:endpoint_disabled");
}

// -- upkeep ------------------------------------------------------------------

TEST_F(HealthStore, FreesWhatIsHeldForAHealthyEndpoint) {
  pile_up(1, "'held', 'infinity'");
  EXPECT_EQ(keeper.upkeep(), (std::pair{0, 1}));
  EXPECT_EQ(record("concat_ws(' ', state, releasing)"), "healthy t");
  EXPECT_EQ(keeper.upkeep(), (std::pair{0, 0})) << "its holder knows";
}

TEST_F(HealthStore, SeesToStragglersOfADisabledOrDeletedEndpoint) {
  db(fmt::format("select postrider.operate_health({}, 'ep', 'disable', '')",
                 key));
  ASSERT_TRUE(move(health_state::disabled));
  pile_up(1, "'held', 'infinity'");
  EXPECT_EQ(keeper.upkeep().second, 1);
  EXPECT_EQ(record("concat_ws(' ', state, releasing)"), "disabled t");
  ASSERT_TRUE(move(health_state::disabled));
  db("update postrider.endpoint set deleted_at = now()");
  EXPECT_EQ(keeper.upkeep().second, 1);
}

TEST_F(HealthStore, LeavesWhatIsHeldForASickEndpoint) {
  ASSERT_TRUE(move(health_state::degraded));
  pile_up(3, "'held', 'infinity'");
  EXPECT_EQ(keeper.upkeep(), (std::pair{0, 0}));
}

TEST_F(HealthStore, EndsWhatHasBeenHeldPastItsDeadline) {
  for (const bool shedding : {false, true}) {
    auto one = to(shedding ? health_state::suspended : health_state::degraded);
    one.shedding = shedding;
    ASSERT_TRUE(keeper.move(one));
    pile_up(2, "'held', 'infinity'");
    db("update postrider.delivery set deadline = now() where id = "
       "(select min(id) from postrider.delivery)");
    EXPECT_EQ(keeper.upkeep().first, 1);
    EXPECT_EQ(states(), "held");
    EXPECT_EQ(noted(), "failed:expired");
    db("delete from postrider.delivery");
    db("delete from postrider.attempt");
  }
}

TEST_F(HealthStore, CancelsTheOldestAboveTheCap) {
  auto one = to(health_state::degraded);
  one.held_max = 3;
  ASSERT_TRUE(keeper.move(one));
  pile_up(5, "'held', 'infinity'");
  const auto third = db.one("select min(id) + 2 from postrider.delivery");
  EXPECT_EQ(keeper.upkeep().first, 2);
  EXPECT_EQ(db.one("select min(id) from postrider.delivery"), third);
  EXPECT_EQ(noted(), "cancelled:evicted cancelled:evicted");
}

// -- what becomes of a new delivery ------------------------------------------

TEST_F(HealthStore, KeepsNewDeliveriesAsTheStateSays) {
  const auto all = [this] {
    publish(1);
    db("select * from postrider.publish_batch(array['t'], "
       "array['order.created'], array['{}'::bytea])");
    const auto out = states() + "/" + noted();
    db("delete from postrider.delivery");
    db("delete from postrider.attempt");
    return out;
  };
  EXPECT_EQ(all(), "queued queued/");
  move(health_state::degraded);
  EXPECT_EQ(all(), "held held/");
  move(health_state::suspended);
  EXPECT_EQ(all(), "held held/");
  auto shed = to(health_state::suspended);
  shed.shedding = true;
  keeper.move(shed);
  EXPECT_EQ(all(), "/cancelled:shed cancelled:shed");
  move(health_state::healthy);
  EXPECT_EQ(all(), "queued queued/");
  db(fmt::format("select postrider.operate_health({}, 'ep', 'pause', '')",
                 key));
  EXPECT_EQ(all(), "held held/");
  db(fmt::format("select postrider.operate_health({}, 'ep', 'disable', '')",
                 key));
  EXPECT_EQ(all(), "/cancelled:endpoint_disabled cancelled:endpoint_disabled");
}

// -- settling and reading ----------------------------------------------------

TEST_F(HealthStore, HoldsAnOutcomeWithItsAttempt) {
  publish(2);
  ASSERT_TRUE(move(health_state::degraded));
  auto batch = settlements(delivery_state::held);
  batch[0].status = 503;
  batch[1].sent = false;
  store::settler writer{url, node_of(1), "first"};
  EXPECT_EQ(writer.settle(batch).hit, (std::vector<bool>{true, true}));
  EXPECT_EQ(states(), "held held");
  EXPECT_EQ(db.one("select string_agg(attempts::text, ' ' order by id) "
                   "from postrider.delivery"),
            "1 0");
  EXPECT_EQ(count("attempt"), "1");
}

// Its holder may end before the word is on record, and nobody would look for
// what is held for a healthy endpoint.
TEST_F(HealthStore, HoldsNoOutcomeOfAnEndpointThatIsHealthyOnRecord) {
  publish(3);
  auto batch = settlements(delivery_state::held);
  batch[0].status = 503;
  batch[0].wait = 1h;
  batch[1].sent = false;
  batch[2].state = delivery_state::succeeded;
  store::settler writer{url, node_of(1), "first"};
  EXPECT_EQ(writer.settle(batch).hit, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(states(), "retrying queued");
  EXPECT_EQ(db.one("select string_agg(attempts::text, ' ' order by id) "
                   "from postrider.delivery"),
            "1 0");
  EXPECT_EQ(count("attempt"), "2");
  ASSERT_TRUE(move(health_state::degraded));
  EXPECT_EQ(hold().rows, 1) << "the other is not due yet";
}

TEST_F(HealthStore, ReadsWhatIsHeldOnlyWhereItIsAskedFor) {
  pile_up(2, "'held', 'infinity'");
  pile_up(1);
  store::reader reader{url};
  const auto last = reader.peek().allocated;
  const std::vector<std::uint16_t> seven{7};
  EXPECT_EQ(reader.read(seven, 0, last, {}, 10).rows.size(), 1u);
  EXPECT_TRUE(reader.read_due(seven, 0, {}, 10).rows.empty());
  EXPECT_EQ(reader.sweep(7, 0, 10).size(), 1u);
  const std::vector<store::lagging> plain{{7, key, 0, 10, false}};
  EXPECT_EQ(reader.read_lagging(plain, last).size(), 1u);
  const std::vector<store::lagging> with{{7, key, 0, 10, true}};
  const auto rows = reader.read_lagging(with, last);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &delivery::id));
  EXPECT_TRUE(rows[0].held);
  EXPECT_EQ(rows[0].due, 0);
  EXPECT_FALSE(rows[2].held);
}

TEST_F(HealthStore, TellsWhoseTrialIsDueAndWhatGoesOut) {
  store::reader reader{url};
  const std::vector<std::uint16_t> seven{7};
  const auto due = [&] { return reader.health_due(seven, 10); };
  EXPECT_TRUE(due().empty());
  auto one = to(health_state::degraded);
  keeper.move(one);
  EXPECT_TRUE(due().empty()) << "not yet";
  one = to(health_state::degraded);
  one.trial_in = 0ms;
  keeper.move(one);
  ASSERT_EQ(due().size(), 1u);
  EXPECT_FALSE(due()[0].held);
  pile_up(1, "'held', 'infinity'");
  EXPECT_TRUE(due().at(0).held);
  db(fmt::format("select postrider.operate_health({}, 'ep', 'pause', '')",
                 key));
  EXPECT_TRUE(due().empty()) << "an operator holds it";
  db(fmt::format("select postrider.operate_health({}, 'ep', 'enable', '')",
                 key));
  EXPECT_EQ(due().size(), 1u) << "it goes out";
}

// A large backlog is held while others go on.
TEST_F(HealthStore, HoldsAHugeBacklogWithoutAStandstill) {
  pile_up(200'000);
  const auto well = endpoint({"other.*"});
  publish(1, "other.thing");
  const auto last =
      std::stoll(db.one("select max(id) from postrider.delivery"));
  store::reader reader{url};
  const std::vector<store::lagging> wanted{{7, std::stoll(well), 0, 10, false}};
  std::chrono::nanoseconds longest{0};
  std::int64_t after = 0;
  int held = 0;
  for (bool whole = false; !whole;) {
    const auto began = std::chrono::steady_clock::now();
    const auto done = hold(after);
    longest = std::max<std::chrono::nanoseconds>(
        longest, std::chrono::steady_clock::now() - began);
    after = done.upto;
    held += done.rows;
    whole = done.whole;
    ASSERT_EQ(reader.read_lagging(wanted, last).size(), 1u);
  }
  EXPECT_EQ(held, 200'000);
  EXPECT_LT(longest, 5s); // some milliseconds where nothing else runs
}
