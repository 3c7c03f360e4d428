#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

using postrider::testing::postgres_server;
using postrider::testing::tenancy;

namespace {

class DeliveryStatus : public ::testing::Test, protected tenancy {
protected:
  DeliveryStatus() : tenancy{postgres_server::shared().migrated_database()} {
    endpoint({"*"});
    db("select postrider.publish('t', 'a', '{}')");
    db("create table ended (like postrider.delivery)");
  }

  void attempt(int number, bool final, const std::string& outcome,
               const std::string& reason = "") {
    db(fmt::format("insert into postrider.attempt (delivery, endpoint, event, "
                   "duration_ms, partition, number, sent, final, outcome, "
                   "reason, started_at) select id, endpoint, event, 1, "
                   "partition, {}, true, {}, '{}', nullif('{}', ''), now() "
                   "from (select * from postrider.delivery union all "
                   "select * from ended) as d limit 1",
                   number, final, outcome, reason));
  }
  void end() {
    db("insert into ended select * from postrider.delivery; "
       "delete from postrider.delivery");
  }
  std::string status() {
    return db.one("select concat_ws(' ', state, reason, attempts, "
                  "ended_at is not null) from postrider.delivery_status");
  }
};

} // namespace

TEST_F(DeliveryStatus, IsThatOfTheOpenRowElseOfTheLastFinalAttempt) {
  EXPECT_EQ(status(), "queued 0 f");
  attempt(0, false, "failed");
  db("update postrider.delivery set state = 'retrying', due_at = now(), "
     "attempts = 1");
  EXPECT_EQ(status(), "retrying 1 f");
  attempt(1, true, "failed", "exhausted");
  end();
  EXPECT_EQ(status(), "failed exhausted 2 t");
  // Put back by an operator, then delivered.
  db("insert into postrider.delivery select * from ended");
  EXPECT_EQ(status(), "retrying 1 f");
  db("delete from postrider.delivery");
  attempt(2, true, "succeeded");
  EXPECT_EQ(status(), "succeeded 3 t");
}
