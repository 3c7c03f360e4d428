#include "store/catalog.hpp"
#include "store/error.hpp"
#include "tests/store/backlog.hpp"

#include <atomic>
#include <gtest/gtest.h>

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

// The engine and operators lock the same rows.
TEST_F(CatalogHealth, GetsOnWithAnEngineThatMovesTheSameEndpoint) {
  own(1, 1);
  calm.operate(id, health_action::enable, "", {});
  const auto move = fmt::format(
      "select postrider.move_health('{}', 1, {}, (select revision from "
      "postrider.endpoint_health), 'ep_x', 'degraded', 'threshold', 'engine', "
      "0, '5 s', false, null, null, false, 1000, false)",
      to_string(node_of(1)), key);
  std::atomic<bool> stop = false;
  std::thread engine{[&] {
    postrider::testing::sql mine{url};
    while (!stop)
      mine(move);
  }};
  int done = 0;
  for (int i = 0; i < 200; ++i)
    done +=
        calm.operate(id,
                     i % 2 == 0 ? health_action::pause : health_action::enable,
                     "", {})
            .has_value();
  stop = true;
  engine.join();
  EXPECT_EQ(done, 200);
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
