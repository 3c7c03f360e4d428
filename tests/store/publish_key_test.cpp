#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using postrider::testing::add_tenant;
using postrider::testing::postgres_server;
using postrider::testing::sql;
using postrider::testing::tenancy;

namespace {

class PublishKey : public ::testing::Test, protected tenancy {
protected:
  PublishKey() : tenancy{postgres_server::shared().migrated_database()} {
    endpoint({"*"});
  }
  ~PublishKey() override {
    // ING-11: no key without its event, at any time.
    EXPECT_EQ(db.one("select count(*) from postrider.event_key as k where "
                     "not exists (select from postrider.event as e "
                     "where e.id = k.event)"),
              "0");
  }

  std::string call(const std::string& arguments) {
    return "select postrider.publish(" + arguments + ")";
  }
};

const std::string first = "'t', 'a', '{\"n\":1}', key => 'k'";

} // namespace

// S3.18
TEST_F(PublishKey, AnswersARepeatWithTheFirstEvent) {
  const auto ask = "select event::text || duplicate || deliveries "
                   "from postrider.publish("
                   + first + ")";
  auto original = db.one(ask);
  auto again = db.one(ask);
  EXPECT_EQ(again, original.replace(36, 5, "true"));
  EXPECT_EQ(count("event"), "1");
  EXPECT_EQ(count("delivery"), "1");
}

TEST_F(PublishKey, RefusesAnotherEventUnderAUsedKey) {
  db(call(first));
  for (const auto* other :
       {"'t', 'a', '{\"n\":2}', key => 'k'",
        "'t', 'b', '{\"n\":1}', key => 'k'",
        "'t', 'a', '{\"n\":1}', key => 'k', kind => 'command'",
        "'t', 'a', '{\"n\":1}', key => 'k', ordering_key => 'o'",
        "'t', 'a', '{\"n\":1}', key => 'k', content_type => 'text/plain'",
        "'t', 'a', '{\"n\":1}', key => 'k', headers => '{\"a\":\"1\"}'"}) {
    EXPECT_EQ(db.state_of(call(other)), "23505") << other;
    EXPECT_NE(db.message().find("postrider: key: 'k'"), std::string::npos);
  }
  EXPECT_EQ(count("event"), "1");
}

TEST_F(PublishKey, BelongsToItsTenant) {
  add_tenant(db, "other");
  db(call(first));
  db(call("'other', 'b', '{}', key => 'k'"));
  EXPECT_EQ(count("event"), "2");
}

TEST_F(PublishKey, IsFreeAgainAfterARollback) {
  db("begin");
  db(call(first));
  db("rollback");
  db(call("'t', 'other', '{}', key => 'k'"));
  EXPECT_EQ(count("event"), "1");
}

// S2.5, S3.19
TEST_F(PublishKey, MakesOneEventOfSixteenConcurrentRepeats) {
  std::vector<std::thread> callers;
  std::mutex lock;
  std::multiset<std::string> answers;
  std::set<std::string> events;
  for (int i = 0; i < 16; ++i)
    callers.emplace_back([&] {
      sql mine{url};
      for (int key = 0; key < 10; ++key) {
        const auto row = mine(fmt::format("select event, duplicate from "
                                          "postrider.publish('t', 'a', '{{}}', "
                                          "key => 'k{}')",
                                          key))[0];
        const std::lock_guard hold{lock};
        events.insert(row[0].as<std::string>());
        answers.insert(row[1].as<std::string>());
      }
    });
  for (auto& caller : callers)
    caller.join();
  EXPECT_EQ(events.size(), 10u);
  EXPECT_EQ(answers.count("f"), 10u);
  EXPECT_EQ(answers.count("t"), 150u);
  EXPECT_EQ(count("event"), "10");
  EXPECT_EQ(count("delivery"), "10");
}

TEST_F(PublishKey, WaitsForTheFirstAndTakesItsPlaceWhenItRollsBack) {
  db("begin");
  db(call(first));
  std::string duplicate;
  std::thread second{[&] {
    sql mine{url};
    mine("set application_name = 'second'");
    duplicate =
        mine.one("select duplicate from postrider.publish(" + first + ")");
  }};
  sql watcher{url};
  while (watcher.one("select count(*) from pg_locks as l "
                     "join pg_stat_activity as a using (pid) "
                     "where not granted and a.application_name = 'second'")
         == "0")
    std::this_thread::yield();
  db("rollback");
  second.join();
  EXPECT_EQ(duplicate, "f");
  EXPECT_EQ(count("event"), "1");
}

TEST_F(PublishKey, IsDecidedBeforeTheReceiversOfACommand) {
  const auto command = "'t', 'pay', '{}', key => 'k', kind => 'command'";
  db(call(command));
  endpoint({"pay"}); // a second receiver: the repeat is still a repeat
  EXPECT_EQ(db.one("select duplicate from postrider.publish("
                   + std::string{command} + ")"),
            "t");
}

TEST_F(PublishKey, UnderRepeatableReadAsksForAnotherRun) {
  db("begin isolation level repeatable read; select 1");
  sql{url}(call(first));
  EXPECT_EQ(db.state_of(call(first)), "40001");
  db("rollback");
}

// LIFE-11
TEST_F(PublishKey, IsTheOnlyThingThatMergesEvents) {
  for (int i = 0; i < 4; ++i) {
    db(call("'t', 'a', '{}'"));
    db(call("'t', 'b', '{}', key => 'same'"));
    db(call(fmt::format("'t', 'c', '{{}}', key => 'k{}'", i)));
  }
  EXPECT_EQ(db.one("select string_agg(n::text, ' ' order by type) from "
                   "(select type, count(*) as n from postrider.event "
                   "group by type) as x"),
            "4 1 4");
}
