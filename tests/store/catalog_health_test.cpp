#include "store/catalog.hpp"
#include "store/error.hpp"
#include "tests/store/backlog.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace postrider;
using postrider::testing::backlog;
using postrider::testing::node_of;
using store::health_action;

namespace {

class CatalogHealth : public ::testing::Test, protected backlog {
protected:
  CatalogHealth() {
    key = endpoint({"order.*"});
    id = calm.endpoints({}, {}).rows.at(0).id;
  }

  store::catalog calm{url};
  std::string key;
  uuid id;
};

} // namespace

TEST_F(CatalogHealth, TellsWhatWaitsAndSinceWhen) {
  publish(2);
  calm.operate(id, health_action::pause, "", {});
  publish(3);
  const auto waits = calm.open(id);
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->open, 5);
  EXPECT_EQ(waits->held, 3);
  const auto newest = calm.events({}, {}, 10).rows;
  EXPECT_EQ(waits->oldest_held, newest.at(2).accepted_at);
  EXPECT_FALSE(calm.open(node_of(9)));
}

TEST_F(CatalogHealth, CountsNoFurtherThanItsBound) {
  calm.operate(id, health_action::pause, "", {});
  db("insert into postrider.delivery (endpoint, stream, deadline, event, size, "
     "partition, state, due_at) select "
     + key
     + ", 0, now() + '1 d', gen_random_uuid(), 1, 7, 'held', 'infinity' "
       "from generate_series(1, 12000)");
  const auto waits = calm.open(id);
  EXPECT_EQ(waits->open, store::open_row::most + 1);
  EXPECT_EQ(waits->held, store::open_row::most + 1);
}

TEST_F(CatalogHealth, ListsWhatIsHeldAlsoWithoutItsEndpoint) {
  publish(2);
  calm.operate(id, health_action::pause, "", {});
  publish(3);
  store::delivery_filter held;
  held.state = delivery_state::held;
  EXPECT_EQ(calm.deliveries(held, {}).rows.size(), 3u);
  EXPECT_EQ(calm.deliveries(held, {0, 2}).rows.size(), 2u);
  EXPECT_EQ(calm.deliveries(held, {calm.deliveries(held, {0, 2}).next, 2})
                .rows.size(),
            1u);
  held.endpoint = id;
  EXPECT_EQ(calm.deliveries(held, {}).rows.size(), 3u);
  held.event = calm.deliveries(held, {}).rows.at(1).event;
  EXPECT_EQ(calm.deliveries(held, {}).rows.size(), 1u);
  held.tenant = "other";
  EXPECT_EQ(calm.deliveries(held, {}).rows.size(), 0u);
  EXPECT_EQ(calm.deliveries({}, {}).rows.size(), 5u);
}

TEST_F(CatalogHealth, RefusesAnotherVersionAndLeavesItsHealthAlone) {
  const auto version = calm.endpoint(id)->version;
  EXPECT_THROW(calm.operate(id, health_action::disable, "", version + 1),
               store::error);
  EXPECT_EQ(calm.endpoint(id)->health.state, health_state::healthy);
  const auto after = calm.operate(id, health_action::disable, "why", version);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->health.state, health_state::disabled);
  EXPECT_EQ(after->health.note, "why");
  EXPECT_GT(after->version, version);
  EXPECT_FALSE(calm.operate(node_of(9), health_action::enable, "", {}));
}

// The engine locks an endpoint's health, then the endpoint. Whoever did it the
// other way round would have both wait for each other.
TEST_F(CatalogHealth, LocksAsTheEngineDoesAndSeesWhatItHasChanged) {
  const auto version = calm.operate(id, health_action::enable, "", {})->version;
  postrider::testing::sql engine{url};
  engine("begin");
  engine("select from postrider.endpoint_health for update");
  bool conflict = false;
  std::thread operating{[&] {
    store::catalog mine{url};
    try {
      mine.operate(id, health_action::pause, "", version);
    } catch (const store::error& error) {
      conflict = error.what_kind() == store::error::kind::conflict;
    }
  }};
  EXPECT_TRUE(postrider::testing::eventually([&] {
    return db.one("select count(*) from pg_stat_activity where datname = "
                  "current_database() and wait_event_type = 'Lock'")
           == "1";
  }));
  EXPECT_EQ(engine.state_of("update postrider.endpoint set version = version"),
            "");
  engine("commit");
  operating.join();
  EXPECT_TRUE(conflict);
  EXPECT_FALSE(calm.endpoint(id)->health.paused);
}

TEST_F(CatalogHealth, OfTwoOperatorsWithOneVersionOneIsRefused) {
  const auto version = calm.endpoint(id)->version;
  std::atomic<int> refused = 0;
  std::vector<std::thread> operators;
  for (int i = 0; i < 8; ++i)
    operators.emplace_back([&] {
      store::catalog mine{url};
      try {
        mine.operate(id, health_action::pause, "", version);
      } catch (const store::error&) {
        ++refused;
      }
    });
  for (auto& one : operators)
    one.join();
  EXPECT_EQ(refused, 7);
}

TEST_F(CatalogHealth, RetriesNothingForADisabledEndpoint) {
  calm.operate(id, health_action::disable, "", {});
  publish(1);
  const auto missed = calm.deliveries({}, {}).rows.at(0);
  EXPECT_EQ(missed.state, delivery_state::cancelled);
  EXPECT_EQ(missed.reason, end_reason::endpoint_disabled);
  EXPECT_EQ(missed.attempts, 0);
  EXPECT_EQ(calm.retry(missed.id), store::retry_answer::endpoint_disabled);
  EXPECT_EQ(count("delivery"), "0");
  calm.operate(id, health_action::enable, "", {});
  EXPECT_EQ(calm.retry(missed.id), store::retry_answer::scheduled);
}

// However many endpoints there are, few are not healthy.
TEST_F(CatalogHealth, FindsTheUnwellByAnIndexOfTheirOwn) {
  db("insert into postrider.endpoint (public_id, tenant, partition, url) "
     "select gen_random_uuid(), 't', 7, 'https://receiver.example' "
     "from generate_series(1, 3000)");
  db("insert into postrider.endpoint_health (endpoint, partition) "
     "select id, 7 from postrider.endpoint where id <> "
     + key);
  calm.operate(id, health_action::pause, "", {});
  db("update postrider.endpoint_health set state = 'degraded' "
     "where endpoint = "
     + key);
  db("analyze postrider.endpoint");
  db("analyze postrider.endpoint_health");
  const auto scans = [&](const char* index) {
    db("select pg_stat_clear_snapshot()");
    return std::stoi(
        db.one(fmt::format("select idx_scan from pg_stat_user_indexes "
                           "where indexrelname = '{}'",
                           index)));
  };
  for (auto [filter, index] :
       {std::pair{store::health_filter::degraded, "endpoint_health_state"},
        std::pair{store::health_filter::paused, "endpoint_health_paused"}}) {
    const auto before = scans(index);
    EXPECT_EQ(calm.endpoints({}, {}, filter).rows.size(), 1u);
    EXPECT_TRUE(postrider::testing::eventually([&] {
      return scans(index) > before;
    })) << index;
  }
}
