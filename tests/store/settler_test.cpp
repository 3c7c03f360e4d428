#include "store/error.hpp"
#include "store/settler.hpp"
#include "tests/store/backlog.hpp"

#include <algorithm>
#include <gtest/gtest.h>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using postrider::testing::node_of;
using store::settled;
using store::settlement;
using store::settler;

namespace {

class Settler : public ::testing::Test, protected backlog {
protected:
  Settler() {
    endpoint({"order.*"});
    own(1, 1);
  }

  std::vector<bool> settle(std::span<const settlement> batch) {
    return writer.settle(batch).hit;
  }
  std::string open() { return count("delivery"); }
  std::string noted(const std::string& columns) {
    return db.one(fmt::format("select concat_ws(' ', {}) "
                              "from postrider.attempt",
                              columns));
  }

  settler writer{url, node_of(1), "first"};
};

using hits = std::vector<bool>;

} // namespace

TEST_F(Settler, RemovesWhatSucceededAndAppendsItsFinalAttempt) {
  publish(2);
  auto batch = settlements();
  for (auto& one : batch) {
    one.status = 204;
    one.duration = 12ms;
    one.response = "thanks";
  }
  EXPECT_EQ(settle(batch), (hits{true, true}));
  EXPECT_EQ(open(), "0");
  EXPECT_EQ(db.one("select count(*) from postrider.attempt a join "
                   "postrider.event e on e.id = a.event where a.final "
                   "and a.sent and a.outcome = 'succeeded' and a.status = 204 "
                   "and a.duration_ms = 12 and a.number = 0 "
                   "and a.partition = 7 and a.node = 'first' "
                   "and a.response is null and a.reason is null "
                   "and a.started_at between now() - interval '1 min' "
                   "and now()"),
            "2");
}

TEST_F(Settler, KeepsWhatIsToBeRetriedWithItsDueTime) {
  publish(1);
  auto batch = settlements(delivery_state::retrying);
  batch[0].status = 503;
  batch[0].error = attempt_error::none;
  batch[0].wait = 60s;
  batch[0].response = "busy";
  EXPECT_EQ(settle(batch), hits{true});
  EXPECT_EQ(db.one("select count(*) from postrider.delivery "
                   "where state = 'retrying' and attempts = 1 "
                   "and due_at between now() + interval '50 s' "
                   "and now() + interval '61 s'"),
            "1");
  EXPECT_EQ(noted("number, sent, final, outcome, status, response"),
            "0 t f failed 503 busy");
}

TEST_F(Settler, NumbersAttemptsFromZeroToTheLast) {
  publish(1);
  for (const auto state : {delivery_state::retrying, delivery_state::retrying,
                           delivery_state::failed}) {
    auto batch = settlements(state);
    if (state == delivery_state::failed)
      batch[0].reason = end_reason::exhausted;
    EXPECT_EQ(settle(batch), hits{true});
  }
  EXPECT_EQ(db.one("select string_agg(concat_ws(' ', number, final, reason), "
                   "', ' order by number) from postrider.attempt"),
            "0 f, 1 f, 2 t exhausted");
  EXPECT_EQ(open(), "0");
}

// G7
TEST_F(Settler, SpendsNoAttemptOnADeferral) {
  publish(1);
  auto batch = settlements(delivery_state::retrying);
  batch[0].sent = false;
  batch[0].wait = 30s;
  EXPECT_EQ(settle(batch), hits{true});
  EXPECT_EQ(db.one("select attempts from postrider.delivery "
                   "where due_at > now()"),
            "0");
  EXPECT_EQ(count("attempt"), "0");
}

TEST_F(Settler, SaysOfWhatEndsUnsentThatNothingWasSent) {
  publish(1);
  auto batch = settlements(delivery_state::cancelled);
  batch[0].sent = false;
  batch[0].reason = end_reason::endpoint_deleted;
  EXPECT_EQ(settle(batch), hits{true});
  EXPECT_EQ(noted("number, sent, final, outcome, reason"),
            "0 f t cancelled endpoint_deleted");
}

TEST_F(Settler, HitsNothingUnderAnOldEpoch) {
  publish(2);
  const auto successes = settlements();
  auto failures = settlements(delivery_state::retrying);
  own(1, 2);
  EXPECT_EQ(settle(successes), (hits{false, false}));
  EXPECT_EQ(settle(failures), (hits{false, false}));
  EXPECT_EQ(open(), "2");
  EXPECT_EQ(count("attempt"), "0");
}

TEST_F(Settler, HitsNothingInAnothersPartition) {
  publish(1);
  own(2, 1);
  EXPECT_EQ(settle(settlements()), hits{false});
  EXPECT_EQ(settle(settlements(delivery_state::failed)), hits{false});
  EXPECT_EQ(open(), "1");
}

TEST_F(Settler, HitsNothingWhenTheAttemptsAreNotThoseThatWereRead) {
  publish(1);
  const auto stale = settlements();
  EXPECT_EQ(settle(settlements(delivery_state::retrying)), hits{true});
  EXPECT_EQ(settle(stale), hits{false});
  EXPECT_EQ(open(), "1");
  EXPECT_EQ(count("attempt"), "1");
}

// A commit whose answer was lost is written again (G6).
TEST_F(Settler, WritesNoSecondAttemptWhenABatchIsRepeated) {
  publish(3);
  auto batch = settlements();
  batch[1].state = delivery_state::retrying;
  EXPECT_EQ(settle(batch), (hits{true, true, true}));
  EXPECT_EQ(settle(batch), (hits{false, false, false}));
  EXPECT_EQ(count("attempt"), "3");
}

TEST_F(Settler, AnswersInTheOrderOfTheBatch) {
  publish(6);
  auto batch = settlements();
  std::reverse(batch.begin(), batch.end());
  batch[0].epoch = 9;
  batch[2].attempts = 5;
  batch[4].delivery += 1'000'000;
  batch[3].state = delivery_state::failed;
  EXPECT_EQ(settle(batch), (hits{false, true, false, true, false, true}));
}

TEST_F(Settler, HitsARowOnceThoughABatchNamesItTwice) {
  publish(1);
  auto batch = settlements();
  batch.push_back(batch[0]);
  const auto hit = settle(batch);
  EXPECT_EQ(std::count(hit.begin(), hit.end(), true), 1);
  EXPECT_EQ(count("attempt"), "1");
}

// G2: of two writers of one row one hits.
TEST_F(Settler, LetsOneOfTwoRacingWritersHit) {
  publish(400);
  auto mine = settlements();
  auto theirs = settlements(delivery_state::retrying);
  for (std::size_t i = 0; i < mine.size(); i += 3)
    theirs[i].state = delivery_state::failed;
  settler other{url, node_of(1), "second"};
  hits a;
  hits b;
  std::thread one{[&] { a = writer.settle(mine).hit; }};
  std::thread two{[&] { b = other.settle(theirs).hit; }};
  one.join();
  two.join();
  for (std::size_t i = 0; i < mine.size(); ++i)
    EXPECT_NE(a[i], b[i]) << i;
  EXPECT_EQ(count("attempt"), "400");
  EXPECT_EQ(db.one("select count(*) from (select delivery from "
                   "postrider.attempt group by delivery having count(*) > 1) "
                   "x"),
            "0");
}

// The same, with the second held up until the first commits.
TEST_F(Settler, LooksAtARowAgainAfterItWaitedForIt) {
  publish(1);
  const auto batch = settlements();
  postrider::testing::sql first{url};
  first("begin");
  first("delete from postrider.delivery");
  hits hit;
  std::thread waiting{[&] { hit = writer.settle(batch).hit; }};
  EXPECT_TRUE(postrider::testing::eventually([&] {
    return db.one("select count(*) from pg_stat_activity where "
                  "datname = current_database() and wait_event_type = 'Lock' "
                  "and application_name = 'postrider settler'")
           == "1";
  }));
  first("commit");
  waiting.join();
  EXPECT_EQ(hit, hits{false});
  EXPECT_EQ(count("attempt"), "0");
}

TEST_F(Settler, KeepsAFailuresResponseAsTextThatCanBeStored) {
  publish(1);
  auto batch = settlements(delivery_state::failed);
  batch[0].reason = end_reason::rejected;
  batch[0].error = attempt_error::malformed_response;
  batch[0].response =
      std::string{"a\0b\xff\xc3\xa9", 6} + std::string(9000, 'x');
  EXPECT_EQ(settle(batch), hits{true});
  EXPECT_EQ(noted("reason, error, left(response, 5)"),
            "rejected malformed_response a?b?\xc3\xa9");
  EXPECT_EQ(noted("octet_length(response)"), "4096");
}

TEST_F(Settler, WorksAgainAfterItsConnectionWasCut) {
  publish(1);
  EXPECT_EQ(settle({}), hits{});
  auto stale = settlements();
  stale[0].epoch = 0;
  EXPECT_EQ(settle(stale), hits{false});
  cut("postrider settler");
  try {
    settle(stale);
    FAIL() << "the connection was cut";
  } catch (const store::error& lost) {
    EXPECT_EQ(lost.what_kind(), store::error::kind::transient);
  }
  EXPECT_EQ(settle(settlements()), hits{true});
}
