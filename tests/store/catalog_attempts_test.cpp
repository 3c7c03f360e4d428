#include "store/catalog.hpp"
#include "tests/store/backlog.hpp"

#include <gtest/gtest.h>
#include <set>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using store::attempt_filter;
using store::attempt_key;

namespace {

class CatalogOfAttempts : public ::testing::Test, protected backlog {
protected:
  CatalogOfAttempts() {
    busy = endpoint({"busy.*"});
    quiet = endpoint({"quiet.*"});
  }

  /// Planted attempts of one endpoint; `at` is an SQL expression in `g`.
  void plant(const std::string& to, int count, const std::string& at,
             const std::string& outcome, bool final = true) {
    db(fmt::format(
        "insert into postrider.attempt (at, delivery, endpoint, event, "
        "duration_ms, partition, number, status, sent, final, outcome, "
        "reason, started_at) select {}, nextval('postrider.delivery_id'), {}, "
        "gen_random_uuid(), 5, 7, 0, 200, true, {}, '{}', null, now() "
        "from generate_series(1, {}) g",
        at, to, final, outcome, count));
  }
  uuid public_id(const std::string& key) {
    return *parse_uuid(
        db.one("select public_id from postrider.endpoint where id = " + key));
  }
  /// All pages of this size, as delivery ids in their order.
  std::vector<std::int64_t> walk(const attempt_filter& filter, int size) {
    std::vector<std::int64_t> out;
    std::optional<attempt_key> from;
    do {
      const auto page = calm.attempts(filter, from, size);
      EXPECT_LE(std::ssize(page.rows), size);
      for (const auto& row : page.rows)
        out.push_back(row.delivery.id);
      from = page.next;
    } while (from);
    return out;
  }
  std::vector<std::int64_t> expected(const std::string& condition) {
    std::vector<std::int64_t> out;
    for (const auto& row :
         db("select delivery from postrider.attempt where " + condition
            + " order by at desc, delivery desc, number desc"))
      out.push_back(row[0].as<std::int64_t>());
    return out;
  }

  store::catalog calm{url};
  std::string busy;
  std::string quiet;
};

} // namespace

// ADM-01: many with one time, as a batch of outcomes has them.
TEST_F(CatalogOfAttempts, ArePagedWithoutGapOrRepeatThoughTheirTimesAreEqual) {
  plant(busy, 40, "now() - interval '1 s'", "succeeded");
  plant(busy, 20, "now()", "failed", false);
  plant(quiet, 3, "now() - interval '2 s'", "cancelled");
  EXPECT_EQ(walk({}, 7), expected("true"));
  EXPECT_EQ(walk({}, 63), expected("true"));
  EXPECT_EQ(walk({}, 1000), expected("true"));
}

TEST_F(CatalogOfAttempts, AreFoundByEachFilterAndAll) {
  plant(busy, 30, "now() - g * interval '1 s'", "succeeded");
  plant(busy, 20, "now() - g * interval '2 s'", "failed", false);
  plant(busy, 5, "now() - g * interval '3 s'", "failed");
  plant(quiet, 4, "now() - g * interval '1 s'", "cancelled");
  attempt_filter by;
  by.endpoint = public_id(busy);
  EXPECT_EQ(walk(by, 6), expected("endpoint = " + busy));
  for (const auto* outcome : {"succeeded", "failed", "cancelled"}) {
    attempt_filter one;
    one.outcome = outcome;
    EXPECT_EQ(walk(one, 6), expected(fmt::format("outcome = '{}'", outcome)));
    one.endpoint = public_id(busy);
    EXPECT_EQ(walk(one, 6), expected(fmt::format("outcome = '{}' and "
                                                 "endpoint = {}",
                                                 outcome, busy)));
  }
  attempt_filter span;
  const store::time_ms moment{10s
                              + std::chrono::milliseconds{std::stoll(db.one(
                                  "select floor(extract(epoch from min(at)) "
                                  "* 1000) from postrider.attempt"))}};
  span.since = moment;
  span.until = moment + 10s;
  EXPECT_EQ(
      walk(span, 4),
      expected(fmt::format(
          "at >= to_timestamp({0}) and at < to_timestamp({0}) + "
          "interval '10 s'",
          static_cast<double>(moment.time_since_epoch().count()) / 1000)));
}

TEST_F(CatalogOfAttempts, AreShownByIdToThoseWhoKnowIt) {
  plant(busy, 1, "now()", "succeeded");
  const auto listed = calm.attempts({}, {}, 10).rows.at(0);
  const auto id =
      *parse_attempt_id(attempt_public_id(listed.delivery, listed.number));
  const auto one = calm.attempt(id);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->event, listed.event);
  EXPECT_EQ(one->tenant, "t");
  EXPECT_FALSE(calm.attempt({id.delivery, id.number, id.salt + 1}));
  EXPECT_FALSE(calm.attempt({id.delivery, id.number + 1, id.salt}));
}

// No page may cost a walk over the table, however the rows lie.
TEST_F(CatalogOfAttempts, AreFoundByAnIndexWhateverIsAskedFor) {
  plant(busy, 20'000, "now() - g * interval '1 ms'", "succeeded");
  plant(quiet, 20, "now() - interval '1 h'", "failed", false);
  db("vacuum analyze postrider.attempt");
  attempt_filter rare;
  rare.endpoint = public_id(quiet);
  attempt_filter failed;
  failed.outcome = "failed";
  for (const auto& filter : {attempt_filter{}, rare, failed}) {
    const auto read = [&] {
      return std::stoll(
          db.one("select coalesce(sum(idx_tup_fetch + seq_tup_read), 0) "
                 "from pg_stat_user_tables where relname ~ '^attempt_'"));
    };
    const auto scans = [&] {
      return std::stoll(
          db.one("select coalesce(sum(idx_scan + seq_scan), 0) "
                 "from pg_stat_user_tables where relname ~ '^attempt_'"));
    };
    const auto before = std::pair{read(), scans()};
    { // What a connection has read is known once it has ended.
      store::catalog mine{url};
      mine.attempts(filter, {}, 10);
    }
    ASSERT_TRUE(postrider::testing::eventually(
        [&] { return scans() > before.second; }));
    EXPECT_LT(read() - before.first, 1'000);
  }
}

TEST_F(CatalogOfAttempts, OfTheNodesTheLeasesAreCounted) {
  own(1, 1);
  db(fmt::format("insert into postrider.node (id, name, version) values "
                 "('{}', 'first', '1.2.3')",
                 to_string(postrider::testing::node_of(1))));
  db("update postrider.partition set expires_at = now() - interval '1 s' "
     "where id < 56");
  const auto nodes = calm.nodes();
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].name, "first");
  EXPECT_EQ(nodes[0].version, "1.2.3");
  EXPECT_EQ(nodes[0].leases, 200);
  EXPECT_LT(nodes[0].silent, 20s);
}

TEST_F(CatalogOfAttempts, OfTheEventsTheRareOnesAreFoundPageByPage) {
  publish(6'000, "busy.a");
  publish(3, "quiet.a");
  publish(6'000, "busy.a");
  store::event_filter by;
  by.type = "quiet.a";
  std::optional<uuid> from;
  std::size_t found = 0;
  int pages = 0;
  do {
    const auto page = calm.events(by, from, 50);
    found += page.rows.size();
    from = page.next;
    ++pages;
  } while (from);
  EXPECT_EQ(found, 3u);
  EXPECT_EQ(pages, 3);
  std::set<std::string> all;
  do {
    const auto page = calm.events({}, from, 1'000);
    for (const auto& row : page.rows)
      EXPECT_TRUE(all.insert(to_string(row.id)).second);
    from = page.next;
  } while (from);
  EXPECT_EQ(all.size(), 12'003u);
}

TEST_F(CatalogOfAttempts, ATenantGoesOnlyWithoutEndpointsAndLeavesItsHistory) {
  plant(quiet, 2, "now()", "succeeded");
  EXPECT_EQ(calm.delete_tenant("t"), store::removal::in_use);
  for (const auto& key : {busy, quiet})
    EXPECT_TRUE(calm.delete_endpoint(public_id(key)));
  EXPECT_EQ(calm.delete_tenant("t"), store::removal::removed);
  EXPECT_EQ(calm.delete_tenant("t"), store::removal::not_found);
  EXPECT_EQ(db.state_of("select postrider.publish('t', 'a', '1'::text)"),
            "23503");
  EXPECT_EQ(calm.attempts({}, {}, 10).rows.size(), 2u);
}
