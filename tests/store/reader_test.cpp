#include "store/error.hpp"
#include "store/reader.hpp"
#include "tests/store/backlog.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

using namespace postrider;
using postrider::testing::backlog;
using postrider::testing::sql;
using store::lagging;
using store::reader;

namespace {

using ids = std::vector<std::int64_t>;
constexpr std::array<std::uint16_t, 2> mine{7, 8};
constexpr std::int64_t far = 1'000'000;

ids ids_of(const std::vector<delivery>& rows) {
  ids out;
  for (const auto& row : rows)
    out.push_back(row.id);
  return out;
}

class Reader : public ::testing::Test, protected backlog {
protected:
  /// Makes these rows retries that are due so many seconds from now.
  void retrying(const std::string& which, int seconds) {
    db(fmt::format("update postrider.delivery set state = 'retrying', "
                   "attempts = 1, due_at = now() + {} * interval '1 s' "
                   "where {}",
                   seconds, which));
  }
  std::int64_t key(const std::string& text) { return std::stoll(text); }

  reader in{url};
};

} // namespace

TEST_F(Reader, CountsFromZeroBeforeTheFirstDelivery) {
  EXPECT_EQ(in.peek().allocated, 0);
  EXPECT_EQ(in.start_of(mine), 0);
  endpoint({"order.*"});
  publish(3);
  EXPECT_EQ(in.peek().allocated, 3);
}

TEST_F(Reader, ReadsTheLowestIdsOfItsPartitions) {
  endpoint({"order.*"});
  publish(6);
  db("update postrider.delivery set partition = 8 where id = 3");
  db("update postrider.delivery set partition = 9 where id = 4");
  const auto found = in.read(mine, 1, 6, {}, 3);
  EXPECT_EQ(ids_of(found.rows), (ids{2, 3, 5}));
  EXPECT_EQ(found.allocated, 6);
  EXPECT_EQ(ids_of(in.read(mine, 5, 5, {}, 3).rows), ids{});
  EXPECT_EQ(ids_of(in.read(mine, 4, 6, {}, 3).rows), (ids{5, 6}));
}

TEST_F(Reader, LeavesOutRetriesAndSkippedEndpoints) {
  const auto busy = key(endpoint({"order.*"}));
  const auto calm = key(endpoint({"order.*"}));
  publish(2);
  retrying("id = 4", -1);
  const std::array skip{busy};
  const auto found = in.read(mine, 0, far, skip, 10).rows;
  ASSERT_EQ(ids_of(found), ids{2});
  EXPECT_EQ(found[0].endpoint, calm);
}

TEST_F(Reader, ReadsARowWhole) {
  const auto to = key(endpoint({"order.*"}, "event"));
  db("select postrider.publish('t', 'order.paid', '{\"n\":1}'::text, "
     "ordering_key => 'k')");
  db("update postrider.delivery set attempts = 2, max_attempts = 5, "
     "deadline = now() + interval '10 s'");
  const auto row = in.read(mine, 0, far, {}, 1).rows.at(0);
  EXPECT_EQ(row.id, 1);
  EXPECT_EQ(row.partition, 7);
  EXPECT_EQ(row.endpoint, to);
  EXPECT_EQ(to_string(row.event), db.one("select id from postrider.event"));
  EXPECT_EQ(std::to_string(row.stream),
            db.one("select hashtextextended('k', 0)"));
  EXPECT_EQ(row.attempts, 2);
  EXPECT_EQ(row.max_attempts, 5);
  EXPECT_EQ(row.size, 7);
  EXPECT_EQ(row.due, 0);
  EXPECT_GT(row.remaining.count(), 0);
  EXPECT_LE(row.remaining.count(), 10'000);
}

// DESIGN 4.3: what an open transaction has written is told by the snapshot.
TEST_F(Reader, TellsWhichTransactionsMayYetCommitLowerIds) {
  endpoint({"order.*"});
  sql late{url};
  late("begin");
  late("select postrider.publish('t', 'order.late', '{}'::text)");
  const auto id = std::stoull(late.one("select pg_current_xact_id()::text"));
  publish(1);
  const auto before = in.read(mine, 0, far, {}, 10);
  EXPECT_EQ(ids_of(before.rows), ids{2});
  EXPECT_EQ(std::ranges::count(before.seen.running, id), 1);
  EXPECT_GT(before.seen.xmax, id);
  late("commit");
  const auto after = in.read(mine, 0, far, {}, 10);
  EXPECT_EQ(ids_of(after.rows), (ids{1, 2}));
  EXPECT_EQ(std::ranges::count(after.seen.running, id), 0);
}

// A snapshot's xmax is one past the highest id that has ended: it does not list
// a transaction that is the newest of all.
TEST_F(Reader, TellsThatARunningTransactionStandsBeyondTheSnapshot) {
  sql late{url};
  // A later one may end in between, in any database of the server: again then.
  bool stood_beyond = false;
  for (int tries = 0; tries < 100 && !stood_beyond; ++tries) {
    late("begin");
    const auto id = std::stoull(late.one("select pg_current_xact_id()::text"));
    const auto peeked = in.peek().seen;
    stood_beyond = peeked.xmax <= id;
    EXPECT_TRUE(stood_beyond || std::ranges::count(peeked.running, id) == 1);
    EXPECT_GT(peeked.next, id);
    EXPECT_GT(in.read(mine, 0, far, {}, 9).seen.next, id);
    late("commit");
    EXPECT_GT(in.peek().seen.xmax, id);
  }
  EXPECT_TRUE(stood_beyond);
}

// After a crash, or at another server, ids and transactions may come again.
TEST_F(Reader, ReadsOnANewConnectionOnlyFromANewStart) {
  in.start_of(mine);
  in.read(mine, 0, far, {}, 10);
  cut("postrider reader");
  EXPECT_THROW(in.peek(), store::error);
  EXPECT_THROW(in.peek(), store::error);
  EXPECT_THROW(in.read(mine, 0, far, {}, 10), store::error);
  EXPECT_THROW(in.read_lagging({}, far), store::error);
  EXPECT_THROW(in.sweep(7, 0, 10), store::error);
  in.start_of(mine);
  EXPECT_NO_THROW(in.peek());
  EXPECT_NO_THROW(in.read(mine, 0, far, {}, 10));
}

TEST_F(Reader, GivesALaggingEndpointNoMoreThanItsRoom) {
  const auto one = key(endpoint({"order.*"}));
  const auto two = key(endpoint({"order.*"}));
  publish(4); // 1, 3, … to the first, 2, 4, … to the second
  retrying("id = 3", 60);
  const std::vector<lagging> shares{{7, one, 1, 2}, {7, two, 0, 1}};
  auto found = ids_of(in.read_lagging(shares, 7));
  std::ranges::sort(found);
  EXPECT_EQ(found, (ids{2, 5, 7}));
  EXPECT_EQ(in.read_lagging(std::vector<lagging>{{8, one, 0, 9}}, far).size(),
            0u);
  EXPECT_EQ(in.read_lagging({}, far).size(), 0u);
}

TEST_F(Reader, ReadsWhatIsDueOldestFirst) {
  const auto skipped = key(endpoint({"order.skip"}));
  endpoint({"order.created"});
  publish(5);
  publish(1, "order.skip");
  retrying("id = 1", -10);
  retrying("id = 2", -30);
  retrying("id = 3", 60);
  retrying("id = 4", -20);
  retrying("id = 6", -40);
  const std::array skip{skipped};
  const auto all = in.read_due(mine, 0, skip, 10);
  EXPECT_EQ(ids_of(all.rows), (ids{2, 4, 1}));
  EXPECT_EQ(all.upto, all.now);
  EXPECT_EQ(all.rows[0].attempts, 1);
  const auto some = in.read_due(mine, 0, skip, 2);
  EXPECT_EQ(ids_of(some.rows), (ids{2, 4}));
  EXPECT_EQ(some.upto, some.rows[1].due);
  EXPECT_NEAR(static_cast<double>(some.now - some.upto), 20e6, 5e6);
  EXPECT_EQ(ids_of(in.read_due(mine, some.upto, skip, 2).rows), ids{1});
  const std::array<std::uint16_t, 1> other{8};
  const auto none = in.read_due(other, 0, {}, 2);
  EXPECT_EQ(none.rows.size(), 0u);
  EXPECT_EQ(none.upto, none.now);
}

TEST_F(Reader, SweepsWhatIsQueuedOrDueOfOnePartition) {
  endpoint({"order.*"});
  publish(5);
  retrying("id = 2", 60);
  retrying("id = 3", -1);
  db("update postrider.delivery set partition = 8 where id = 4");
  EXPECT_EQ(ids_of(in.sweep(7, 0, 10)), (ids{1, 3, 5}));
  EXPECT_EQ(ids_of(in.sweep(7, 1, 1)), ids{3});
}

TEST_F(Reader, StartsBelowTheFirstQueuedRow) {
  endpoint({"order.*"});
  publish(4);
  db("delete from postrider.delivery where id = 1");
  retrying("id = 2", -1);
  EXPECT_EQ(in.start_of(mine), 2);
  const std::array<std::uint16_t, 1> other{8};
  EXPECT_EQ(in.start_of(other), 4);
}

// G11
TEST_F(Reader, KeepsEveryByteOfAPayload) {
  endpoint({"order.*"});
  db("select postrider.publish('t', 'order.a', '\\x00ff0a'::bytea, "
     "content_type => 'application/octet-stream', traceparent => "
     "'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', "
     "headers => '{\"X-A\": \"1\"}')");
  publish(1);
  std::vector<uuid> wanted{postrider::testing::node_of(9)};
  for (const auto& row : db("select id from postrider.event"))
    wanted.push_back(*parse_uuid(row[0].c_str()));
  const auto found = in.events(wanted);
  ASSERT_EQ(found.size(), 2u);
  const auto first = std::ranges::find_if(
      found, [](const auto& entry) { return entry.second->type == "order.a"; });
  ASSERT_NE(first, found.end());
  const auto& event = *first->second;
  EXPECT_EQ(*event.payload, std::string("\0\xff\n", 3));
  EXPECT_EQ(event.content_type, "application/octet-stream");
  EXPECT_EQ(event.headers, (std::vector<header>{{"X-A", "1"}}));
  EXPECT_TRUE(event.traceparent.starts_with("00-"));
  EXPECT_EQ(event.id, first->first);
  EXPECT_TRUE(in.events({}).empty());
}

TEST_F(Reader, WorksAgainAfterItsConnectionWasCut) {
  EXPECT_EQ(in.peek().allocated, 0);
  cut("postrider reader");
  try {
    in.peek();
    FAIL() << "the connection was cut";
  } catch (const store::error& lost) {
    EXPECT_EQ(lost.what_kind(), store::error::kind::transient);
  }
  in.start_of(mine);
  EXPECT_EQ(in.peek().allocated, 0);
}

TEST_F(Reader, SaysBrokenWhenTheSchemaIsNotThere) {
  reader stranger{
      postrider::testing::postgres_server::shared().fresh_database()};
  try {
    stranger.peek();
    FAIL() << "there is no schema";
  } catch (const store::error& missing) {
    EXPECT_EQ(missing.what_kind(), store::error::kind::broken);
  }
}
