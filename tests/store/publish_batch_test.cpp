#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>

using postrider::testing::postgres_server;
using postrider::testing::tenancy;

namespace {

class PublishBatch : public ::testing::Test, protected tenancy {
protected:
  PublishBatch() : tenancy{postgres_server::shared().migrated_database()} {
    endpoint({"*"});
  }

  std::string refusal(const std::string& arguments) {
    EXPECT_NE(db.state_of("select postrider.publish_batch(" + arguments + ")"),
              "");
    return db.message();
  }
  bool says(const std::string& arguments, const std::string& what) {
    return refusal(arguments).find(what) != std::string::npos;
  }
};

} // namespace

TEST_F(PublishBatch, AnswersEachInOrder) {
  const auto rows =
      db("select ordinal, duplicate, deliveries, event "
         "from postrider.publish_batch(array['t', 't', 't'], "
         "array['a', 'b', 'a'], array['{}', '{}', '{}']::bytea[], "
         "keys => array['k', null, 'k'])");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0][1].as<std::string>(), "f");
  EXPECT_EQ(rows[2][1].as<std::string>(), "t");
  EXPECT_EQ(rows[2][3].as<std::string>(), rows[0][3].as<std::string>());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i][0].as<int>(), i + 1);
    EXPECT_EQ(rows[i][2].as<int>(), 1);
  }
  EXPECT_EQ(count("event"), "2");
}

TEST_F(PublishBatch, RaisesForTheFirstRefusedAndKeepsNothing) {
  const std::string two = "array['a', 'b'], array['{}', '{}']::bytea[]";
  EXPECT_TRUE(says("array['t', 'nobody'], " + two, "event 2: tenant"));
  EXPECT_TRUE(says("array['t', 't'], array['a', '!'], "
                   "array['{}', '{}']::bytea[]",
                   "event 2: type"));
  EXPECT_TRUE(says("array['t', 't'], array['a', 'b'], "
                   "array['{', '{}']::bytea[]",
                   "event 1: payload"));
  EXPECT_TRUE(says("array['t', 't'], " + two + ", keys => array['k', 'k']",
                   "event 2: key"));
  EXPECT_TRUE(says("array['t', 't'], " + two
                       + ", headers => array[null, '{\"host\": \"x\"}']"
                         "::jsonb[]",
                   "event 2: headers"));
  EXPECT_TRUE(says("array['t', 't'], " + two + ", kinds => array['x', null]",
                   "event 1: kind"));
  EXPECT_TRUE(says("array['t'], " + two, "different lengths"));
  EXPECT_TRUE(says("array['t', 't'], " + two + ", keys => array['k']",
                   "different lengths"));
  for (const auto* table : {"event", "delivery", "event_key"})
    EXPECT_EQ(count(table), "0") << table;
}

TEST_F(PublishBatch, TakesAnEmptyBatch) {
  EXPECT_EQ(
      db("select * from postrider.publish_batch('{}', '{}', '{}')").size(), 0u);
}

// So that the index on them is written at its end. What is random in them
// tells a guess of a delivery's public id.
TEST_F(PublishBatch, MakesEventIdsThatRiseAndCannotBeGuessed) {
  const auto made = db.one(
      "with p as (select ordinal, event::text as e from "
      "postrider.publish_batch(array_fill('t'::text, array[1000]), "
      "array_fill('a'::text, array[1000]), "
      "array_fill('{}'::bytea, array[1000]))), "
      "q as (select *, lag(e) over (order by ordinal) as before from p) "
      "select count(*) filter (where e <= before) || ' ' "
      "|| count(*) filter (where substr(e, 15, 1) <> '7' "
      "or substr(e, 20, 1) <> '8') || ' ' || count(distinct right(e, 16)) "
      "from q");
  EXPECT_EQ(made, "0 0 1000");
}

TEST_F(PublishBatch, DrawsIdsInItsOrder) {
  for (int i = 0; i < 4; ++i)
    endpoint({"many"});
  db("select postrider.publish_batch(array_agg('t'::text), "
     "array_agg('many'::text), array_agg(convert_to(i::text, 'UTF8')) ) "
     "from generate_series(1, 300) as i");
  EXPECT_EQ(db.one("select count(*) from (select d.id, lag(d.id) over "
                   "(order by convert_from(e.payload, 'UTF8')::int, "
                   "d.endpoint) as before from postrider.delivery as d "
                   "join postrider.event as e on e.id = d.event) as x "
                   "where before > id"),
            "0");
  EXPECT_EQ(count("delivery"), "1500");
}
