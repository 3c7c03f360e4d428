#include "store/catalog.hpp"
#include "tests/store/backlog.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace postrider;
using postrider::testing::backlog;
using store::dead_letter_action;
using store::dead_letter_filter;

namespace {

class CatalogOfDeadLetters : public ::testing::Test, protected backlog {
protected:
  CatalogOfDeadLetters() { to = endpoint({"order.*"}); }

  /// Publishes and ends them as the settler would.
  void fail(int count, int status = 400, const std::string& type = "order.a") {
    publish(count, type);
    db(fmt::format(
        "with gone as (delete from postrider.delivery returning *) "
        "insert into postrider.attempt (delivery, endpoint, event, "
        "duration_ms, partition, number, status, sent, final, outcome, "
        "reason, started_at) select id, endpoint, event, 5, partition, "
        "attempts, {}, true, true, 'failed', 'rejected', now() from gone",
        status));
  }
  /// Goes on to the end; how many were treated, and how many left alone.
  std::pair<std::int64_t, std::int64_t>
  treat(store::catalog& with, dead_letter_action action,
        const dead_letter_filter& filter = {}) {
    std::int64_t found = 0;
    with.count_dead_letters(filter, -1, found);
    auto from = with.count_dead_letters(filter, found, found);
    std::pair<std::int64_t, std::int64_t> out;
    while (from) {
      const auto round = with.treat_dead_letters(action, filter, *from);
      out.first += round.done;
      out.second += round.skipped;
      from = round.next;
    }
    return out;
  }
  uuid public_id(const std::string& key) {
    return *parse_uuid(
        db.one("select public_id from postrider.endpoint where id = " + key));
  }

  store::catalog calm{url};
  std::string to;
};

} // namespace

TEST_F(CatalogOfDeadLetters, AreCountedByEndpointAndError) {
  const auto other = endpoint({"other.*"});
  fail(3, 400);
  fail(2, 503);
  fail(1, 410);
  fail(4, 503, "other.a");
  const auto all = calm.dead_letters({});
  EXPECT_EQ(all.count, 10);
  EXPECT_EQ(all.groups, 4);
  ASSERT_EQ(all.first.size(), 4u);
  EXPECT_EQ(all.first[0].count, 4);
  EXPECT_EQ(all.first[0].error, "http_5xx");
  EXPECT_EQ(all.first[0].endpoint, public_id(other));
  dead_letter_filter by;
  by.error = "http_5xx";
  EXPECT_EQ(calm.dead_letters(by).count, 6);
  by.endpoint = public_id(to);
  EXPECT_EQ(calm.dead_letters(by).count, 2);
  by.tenant = "nobody";
  EXPECT_EQ(calm.dead_letters(by).count, 0);
  store::delivery_filter listed;
  listed.state = delivery_state::failed;
  listed.dead.error = "gone_410";
  const auto rows = calm.deliveries(listed, {}).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].failure, "gone_410");
}

TEST_F(CatalogOfDeadLetters, ArePutBackInChunksAndOnlyThese) {
  fail(1'200, 503);
  fail(30, 400);
  dead_letter_filter by;
  by.error = "http_5xx";
  EXPECT_EQ(treat(calm, dead_letter_action::retry, by),
            (std::pair<std::int64_t, std::int64_t>{1'200, 0}));
  EXPECT_EQ(count("delivery"), "1200");
  EXPECT_EQ(db.one("select concat_ws(' ', min(attempts), max(attempts), "
                   "min(max_attempts), bool_and(due_at <= now()), "
                   "count(distinct state)) from postrider.delivery"),
            "1 1 4 t 1");
  EXPECT_EQ(calm.dead_letters({}).count, 30);
  EXPECT_EQ(treat(calm, dead_letter_action::retry, by).first, 0);
}

TEST_F(CatalogOfDeadLetters, AreTreatedOnlyWhenTheCountIsTheExpectedOne) {
  fail(3);
  std::int64_t found = 0;
  EXPECT_FALSE(calm.count_dead_letters({}, 2, found));
  EXPECT_EQ(found, 3);
  EXPECT_TRUE(calm.count_dead_letters({}, 3, found));
}

TEST_F(CatalogOfDeadLetters, ThatFailAfterTheCountAreNotTouched) {
  fail(3);
  std::int64_t found = 0;
  const auto from = calm.count_dead_letters({}, 3, found);
  fail(2);
  EXPECT_EQ(calm.treat_dead_letters(dead_letter_action::purge, {}, *from).done,
            3);
  EXPECT_EQ(calm.dead_letters({}).count, 2);
}

TEST_F(CatalogOfDeadLetters, ArePurgedWithAllTheirAttemptsButNotTheirEvents) {
  fail(3);
  db("insert into postrider.attempt (delivery, endpoint, event, duration_ms, "
     "partition, number, sent, final, outcome, started_at) select delivery, "
     "endpoint, event, 1, partition, number, true, false, 'failed', now() "
     "from postrider.attempt");
  fail(1, 503);
  dead_letter_filter by;
  by.error = "http_4xx";
  EXPECT_EQ(treat(calm, dead_letter_action::purge, by).first, 3);
  EXPECT_EQ(count("attempt"), "1");
  EXPECT_EQ(count("event"), "4");
}

TEST_F(CatalogOfDeadLetters, OfADeletedEndpointAreLeftAlone) {
  fail(2);
  calm.delete_endpoint(public_id(to));
  EXPECT_EQ(treat(calm, dead_letter_action::retry),
            (std::pair<std::int64_t, std::int64_t>{0, 2}));
  EXPECT_EQ(count("delivery"), "0");
}

// LIFE-08: two operators and single retries at once, while what was put back
// is delivered.
TEST_F(CatalogOfDeadLetters, ArePutBackOnceHoweverManyAsk) {
  fail(700);
  std::atomic<std::int64_t> put_back = 0;
  std::atomic<bool> done = false;
  std::thread engine{[&] {
    postrider::testing::sql mine{url};
    while (!done)
      mine("with gone as (delete from postrider.delivery returning *) "
           "insert into postrider.attempt (delivery, endpoint, event, "
           "duration_ms, partition, number, status, sent, final, outcome, "
           "started_at) select id, endpoint, event, 5, partition, attempts, "
           "200, true, true, 'succeeded', now() from gone");
  }};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      store::catalog mine{url};
      put_back += treat(mine, dead_letter_action::retry).first;
    });
  for (auto& one : callers)
    one.join();
  done = true;
  engine.join();
  EXPECT_EQ(put_back, 700);
  EXPECT_EQ(db.one("select count(*) from postrider.attempt "
                   "where outcome = 'succeeded'"),
            std::to_string(700 - std::stoi(count("delivery"))));
  EXPECT_EQ(db.one("select count(*) from (select from postrider.attempt "
                   "where outcome = 'succeeded' group by delivery "
                   "having count(*) > 1) twice"),
            "0");
}
