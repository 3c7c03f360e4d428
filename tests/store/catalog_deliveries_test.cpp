#include "core/public_id.hpp"
#include "store/catalog.hpp"
#include "store/settler.hpp"
#include "tests/store/backlog.hpp"

#include <algorithm>
#include <gtest/gtest.h>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using postrider::testing::node_of;
using store::delivery_filter;
using store::settlement;

namespace {

using ids = std::vector<std::int64_t>;

class CatalogOfDeliveries : public ::testing::Test, protected backlog {
protected:
  CatalogOfDeliveries() { own(1, 1); }

  void settle(std::vector<settlement> batch) {
    for (const auto hit : writer.settle(batch).hit)
      ASSERT_TRUE(hit);
  }
  /// Ends these, or retries them.
  void settle(const ids& which, delivery_state state, int status = 500) {
    auto batch = settlements(state);
    std::erase_if(batch, [&](const settlement& one) {
      return std::ranges::count(which, one.delivery) == 0;
    });
    for (auto& one : batch) {
      one.status = status;
      one.wait = 1h;
      one.reason = state == delivery_state::failed ? end_reason::rejected
                                                   : end_reason::none;
    }
    settle(batch);
  }
  ids listed(const delivery_filter& filter, store::page where = {}) {
    ids out;
    for (const auto& row : calm.deliveries(filter, where).rows)
      out.push_back(row.id.id);
    return out;
  }
  uuid public_id(const std::string& key) {
    return *parse_uuid(
        db.one("select public_id from postrider.endpoint where id = " + key));
  }
  delivery_ref ref(std::int64_t id) {
    return calm.deliveries({}, {id + 1, 1}).rows.at(0).id;
  }

  store::settler writer{url, node_of(1), "first"};
  store::catalog calm{url};
};

} // namespace

TEST_F(CatalogOfDeliveries, TellsOpenAndEndedOnesAlike) {
  const auto to = endpoint({"order.*"});
  publish(4);
  settle({2}, delivery_state::retrying, 503);
  settle({3}, delivery_state::succeeded, 200);
  settle({4}, delivery_state::failed, 400);
  const auto rows = calm.deliveries({}, {}).rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].state, delivery_state::failed);
  EXPECT_EQ(rows[0].reason, end_reason::rejected);
  EXPECT_EQ(rows[0].last_status, 400);
  EXPECT_EQ(rows[0].attempts, 1);
  EXPECT_TRUE(rows[0].ended_at);
  EXPECT_EQ(rows[1].state, delivery_state::succeeded);
  EXPECT_EQ(rows[2].state, delivery_state::retrying);
  EXPECT_EQ(rows[2].last_status, 503);
  EXPECT_TRUE(rows[2].due_at);
  EXPECT_EQ(rows[3].state, delivery_state::queued);
  EXPECT_EQ(rows[3].attempts, 0);
  EXPECT_FALSE(rows[3].last_status);
  for (const auto& row : rows) {
    EXPECT_EQ(row.endpoint, public_id(to));
    EXPECT_EQ(row.tenant, "t");
    EXPECT_EQ(row.id.partition, 7);
    EXPECT_EQ(row.id.salt, salt_of(row.event));
    const auto again = calm.delivery(row.id);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->state, row.state);
  }
}

TEST_F(CatalogOfDeliveries, KnowsNoneUnderAGuessedId) {
  endpoint({"order.*"});
  publish(1);
  auto guess = ref(1);
  EXPECT_TRUE(calm.delivery(guess));
  ++guess.salt;
  EXPECT_FALSE(calm.delivery(guess));
  EXPECT_TRUE(calm.attempts(guess).empty());
  EXPECT_EQ(calm.retry(guess), store::retry_answer::not_found);
}

TEST_F(CatalogOfDeliveries, FiltersByEndpointEventTenantAndState) {
  const auto one = endpoint({"order.*"});
  endpoint({"order.paid"});
  postrider::testing::add_tenant(db, "u");
  postrider::testing::add_endpoint(db, "u", {"order.*"});
  publish(1, "order.paid");                                     // 1, 2
  publish(1, "order.new");                                      // 3
  db("select postrider.publish('u', 'order.new', '{}'::text)"); // 4
  publish(1, "order.paid");                                     // 5, 6
  settle({1, 6}, delivery_state::succeeded, 200);
  settle({2, 4}, delivery_state::failed);
  settle({3}, delivery_state::retrying);
  delivery_filter by;
  by.endpoint = public_id(one);
  EXPECT_EQ(listed(by), (ids{5, 3, 1}));
  by.state = delivery_state::succeeded;
  EXPECT_EQ(listed(by), ids{1});
  by = {};
  by.tenant = "t";
  EXPECT_EQ(listed(by), (ids{6, 5, 3, 2, 1}));
  by.state = delivery_state::failed;
  EXPECT_EQ(listed(by), ids{2});
  by.tenant.reset();
  EXPECT_EQ(listed(by), (ids{4, 2}));
  by.state = delivery_state::retrying;
  EXPECT_EQ(listed(by), ids{3});
  by.state = delivery_state::queued;
  EXPECT_EQ(listed(by), ids{5});
  by.state = delivery_state::cancelled;
  EXPECT_EQ(listed(by), ids{});
  by = {};
  by.event = calm.deliveries({}, {3, 1}).rows.at(0).event;
  EXPECT_EQ(listed(by), (ids{2, 1}));
  by.endpoint = public_id(one);
  EXPECT_EQ(listed(by), ids{1});
  by.tenant = "u";
  EXPECT_EQ(listed(by), ids{});
  by = {};
  by.event = node_of(3);
  EXPECT_EQ(listed(by), ids{});
}

// ADM-01
TEST_F(CatalogOfDeliveries, WalksEachOnceWhileRowsEnd) {
  endpoint({"order.*"});
  publish(60);
  db("update postrider.delivery set partition = id % 256");
  ids seen;
  store::page where{0, 7};
  int turn = 0;
  do {
    const auto page = calm.deliveries({}, where);
    for (const auto& row : page.rows)
      seen.push_back(row.id.id);
    where.before = page.next;
    // Some that were seen, some that were not, and some again.
    ids now;
    for (std::int64_t id = 1 + turn; id <= 60; id += 9)
      now.push_back(id);
    settle(now,
           turn % 2 == 0 ? delivery_state::failed : delivery_state::succeeded);
    ++turn;
  } while (where.before != 0);
  ids all(60);
  std::ranges::generate(all, [n = 61]() mutable { return --n; });
  EXPECT_EQ(seen, all);
}

TEST_F(CatalogOfDeliveries, ListsAttemptsOldestFirst) {
  endpoint({"order.*"});
  publish(1);
  const auto id = ref(1);
  settle({1}, delivery_state::retrying, 503);
  auto last = settlements(delivery_state::failed);
  last[0].reason = end_reason::exhausted;
  last[0].error = attempt_error::timeout_response;
  last[0].duration = 15s;
  settle(last);
  const auto found = calm.attempts(id);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].number, 0);
  EXPECT_EQ(found[0].status, 503);
  EXPECT_EQ(found[0].outcome, "failed");
  EXPECT_FALSE(found[0].final);
  EXPECT_EQ(found[0].node, "first");
  EXPECT_EQ(found[1].number, 1);
  EXPECT_FALSE(found[1].status);
  EXPECT_EQ(found[1].error, "timeout_response");
  EXPECT_EQ(found[1].duration, 15s);
  EXPECT_TRUE(found[1].final);
  EXPECT_EQ(found[1].reason, end_reason::exhausted);
}

// LIFE-02: each attempt went where the endpoint was when it was made.
TEST_F(CatalogOfDeliveries, TellsWhereEachAttemptWent) {
  endpoint({"order.*"});
  publish(1);
  const auto id = ref(1);
  const auto version = [&] {
    return std::stoll(db.one("select version from postrider.endpoint"));
  };
  const auto attempt = [&](delivery_state state, std::int64_t by, bool sent) {
    auto batch = settlements(state);
    batch[0].endpoint_version = by;
    batch[0].sent = sent;
    settle(batch);
  };
  const auto first = version();
  db("update postrider.endpoint set url = 'https://new.example/in'");
  attempt(delivery_state::retrying, first, true); // begun before, ended after
  db("update postrider.endpoint set description = 'x'");
  attempt(delivery_state::retrying, version(), true);
  db("update postrider.endpoint set url = 'https://newest.example/'");
  attempt(delivery_state::failed, version(), false);
  const auto found = calm.attempts(id);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].url, "https://receiver.example");
  EXPECT_EQ(found[1].url, "https://new.example/in");
  EXPECT_EQ(found[2].url, "") << "nothing was sent";
}
