#include "store/catalog.hpp"
#include "store/reader.hpp"
#include "store/settler.hpp"
#include "tests/store/backlog.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using postrider::testing::node_of;
using store::retry_answer;

namespace {

class CatalogRetry : public ::testing::Test, protected backlog {
protected:
  CatalogRetry() {
    own(1, 1);
    to = endpoint({"order.*"}, "event");
    db("select postrider.publish('t', 'order.a', '{\"n\":1}'::text, "
       "ordering_key => 'k')");
    stream = db.one("select stream from postrider.delivery");
    id = calm.deliveries({}, {}).rows.at(0).id;
  }

  /// The next attempt of the open delivery.
  void end(delivery_state state, bool sent = true) {
    auto batch = settlements(state);
    batch[0].sent = sent;
    batch[0].wait = 1h;
    ASSERT_TRUE(writer.settle(batch).hit.at(0));
  }

  store::settler writer{url, node_of(1), "first"};
  store::catalog calm{url};
  std::string to;
  std::string stream;
  delivery_ref id;
};

} // namespace

TEST_F(CatalogRetry, PutsAFailedOneBackUnderItsOwnIdAndStream) {
  end(delivery_state::retrying);
  end(delivery_state::failed);
  db("update postrider.endpoint set max_age = '2 h'");
  EXPECT_EQ(calm.retry(id), retry_answer::scheduled);
  const auto row = calm.delivery(id);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->state, delivery_state::retrying);
  EXPECT_EQ(row->id, id);
  EXPECT_EQ(db.one("select stream from postrider.delivery"), stream);
  EXPECT_EQ(db.one("select concat_ws(' ', attempts, max_attempts, size, "
                   "due_at <= now(), deadline between now() + '1 h' "
                   "and now() + '2 h') from postrider.delivery"),
            "2 5 7 t t");
  store::reader in{url};
  const std::array<std::uint16_t, 1> where{7};
  EXPECT_EQ(in.read_due(where, 0, {}, 10).rows.at(0).max_attempts, 5);
}

TEST_F(CatalogRetry, NumbersAttemptsOnWithoutGapOrRepeat) {
  end(delivery_state::failed);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(calm.retry(id), retry_answer::scheduled);
    end(delivery_state::cancelled, false);
  }
  ASSERT_EQ(calm.retry(id), retry_answer::scheduled);
  end(delivery_state::succeeded);
  EXPECT_EQ(db.one("select string_agg(number::text, ' ' order by at) "
                   "from postrider.attempt"),
            "0 1 2 3");
  EXPECT_EQ(calm.delivery(id)->state, delivery_state::succeeded);
  EXPECT_EQ(calm.deliveries({}, {}).rows.size(), 1u);
}

TEST_F(CatalogRetry, MakesAWaitingOneDueNow) {
  end(delivery_state::retrying);
  EXPECT_EQ(calm.retry(id), retry_answer::scheduled);
  EXPECT_EQ(db.one("select concat_ws(' ', due_at <= now(), attempts, "
                   "max_attempts) from postrider.delivery"),
            "t 1");
  EXPECT_EQ(calm.retry(id), retry_answer::scheduled);
}

TEST_F(CatalogRetry, RefusesWhatIsQueuedOrHasSucceeded) {
  EXPECT_EQ(calm.retry(id), retry_answer::wrong_state);
  end(delivery_state::succeeded);
  EXPECT_EQ(calm.retry(id), retry_answer::wrong_state);
  EXPECT_EQ(count("delivery"), "0");
}

TEST_F(CatalogRetry, RefusesWhatNoEndpointIsLeftFor) {
  end(delivery_state::failed);
  db("update postrider.endpoint set deleted_at = now()");
  EXPECT_EQ(calm.retry(id), retry_answer::wrong_state);
  EXPECT_EQ(count("delivery"), "0");
}

TEST_F(CatalogRetry, ShowsThePutBackOneInsteadOfItsOldEnd) {
  end(delivery_state::failed);
  calm.retry(id);
  store::delivery_filter by;
  by.state = delivery_state::failed;
  EXPECT_TRUE(calm.deliveries(by, {}).rows.empty());
  EXPECT_EQ(calm.deliveries({}, {}).rows.at(0).state, delivery_state::retrying);
  EXPECT_EQ(calm.deliveries({}, {}).rows.size(), 1u);
}

// LIFE-08
TEST_F(CatalogRetry, OfManyCallsAtOnceOnePutsItBack) {
  end(delivery_state::failed);
  std::vector<std::thread> callers;
  std::atomic<int> scheduled = 0;
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([&] {
      store::catalog mine{url};
      if (mine.retry(id) == retry_answer::scheduled)
        ++scheduled;
    });
  for (auto& caller : callers)
    caller.join();
  EXPECT_EQ(scheduled, 8);
  EXPECT_EQ(count("delivery"), "1");
  EXPECT_EQ(db.one("select attempts from postrider.delivery"), "1");
}

// LIFE-08: callers race with the engine, which delivers what they put back.
TEST_F(CatalogRetry, NeverPutsBackWhatSucceededMeanwhile) {
  end(delivery_state::failed);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      store::catalog mine{url};
      while (mine.retry(id) == retry_answer::scheduled) {
      }
    });
  EXPECT_TRUE(
      postrider::testing::eventually([&] { return count("delivery") == "1"; }));
  end(delivery_state::succeeded);
  for (auto& caller : callers)
    caller.join();
  EXPECT_EQ(count("delivery"), "0");
  EXPECT_EQ(count("attempt"), "2");
}
