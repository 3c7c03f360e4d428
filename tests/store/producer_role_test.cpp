#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>

using postrider::testing::postgres_server;
using postrider::testing::tenancy;

namespace {

class ProducerRole : public ::testing::Test, protected tenancy {
protected:
  ProducerRole() : tenancy{postgres_server::shared().migrated_database()} {
    endpoint({"*"});
    relations = db("select c.oid::regclass::text, c.relkind "
                   "from pg_class as c join pg_namespace as n "
                   "on n.oid = c.relnamespace where n.nspname = 'postrider' "
                   "and c.relkind in ('r', 'p', 'S', 'v')");
    functions = db("select p.oid::regprocedure::text, p.proname "
                   "from pg_proc as p join pg_namespace as n "
                   "on n.oid = p.pronamespace where n.nspname = 'postrider'");
    db("set role postrider_producer");
  }

  pqxx::result relations;
  pqxx::result functions;
};

} // namespace

TEST_F(ProducerRole, PublishesInEveryForm) {
  db("select postrider.publish('t', 'a', '{}')");
  db("select postrider.publish('t', 'a', '{}'::bytea, key => 'k')");
  db("select postrider.publish('t', 'a', '{}'::bytea, key => 'k')");
  db("select postrider.publish_batch(array['t'], array['a'], "
     "array['{}']::bytea[])");
  db("reset role");
  EXPECT_EQ(count("event"), "3");
  EXPECT_EQ(count("delivery"), "3");
}

TEST_F(ProducerRole, ReadsAndWritesNoRelation) {
  ASSERT_GT(relations.size(), 10u);
  for (const auto& row : relations) {
    const auto name = row[0].as<std::string>();
    EXPECT_EQ(db.state_of("select * from " + name), "42501") << name;
    if (row[1].as<std::string>() == "v")
      continue; // can't be written by anybody
    if (row[1].as<std::string>() == "S") {
      EXPECT_EQ(db.state_of("select nextval('" + name + "')"), "42501");
      continue;
    }
    EXPECT_EQ(db.state_of("delete from " + name), "42501") << name;
    EXPECT_EQ(db.state_of("truncate " + name), "42501") << name;
    EXPECT_EQ(db.state_of("insert into " + name + " default values"), "42501")
        << name;
  }
}

TEST_F(ProducerRole, CallsNoFunctionButPublish) {
  int allowed = 0;
  for (const auto& row : functions) {
    const auto name = row[0].as<std::string>();
    const bool may =
        db.one("select has_function_privilege('" + name + "', 'execute')")
        == "t";
    const bool publishes = row[1].as<std::string>().starts_with("publish");
    EXPECT_EQ(may, publishes) << name;
    allowed += may ? 1 : 0;
  }
  EXPECT_EQ(allowed, 3);
  EXPECT_EQ(db.state_of("select postrider.make_partitions(1)"), "42501");
}

TEST_F(ProducerRole, CreatesNothingInTheSchema) {
  EXPECT_EQ(db.state_of("create table postrider.mine (x int)"), "42501");
}

// What it can put into its own temporary schema must not be used in place of
// what the functions mean.
TEST_F(ProducerRole, CanNotShadowWhatPublishUses) {
  db("reset role; grant create on schema public to postrider_producer; "
     "set role postrider_producer");
  db("create temp table event_key (tenant text, key text, event uuid, "
     "fingerprint bytea)");
  db("create temp table delivery (id bigint)");
  db("create function public.octet_length(bytea) returns int language sql "
     "as 'select 7777'");
  db("set search_path = pg_temp, public, pg_catalog");
  db("select postrider.publish('t', 'a', '{}'::bytea, key => 'k')");
  db("reset role; reset search_path");
  EXPECT_EQ(count("delivery"), "1");
  EXPECT_EQ(count("event_key"), "1");
  EXPECT_EQ(db.one("select size from postrider.delivery"), "2");
}
