#include "store/error.hpp"
#include "store/pg.hpp"
#include "tests/store/backlog.hpp"

#include <gtest/gtest.h>

using namespace postrider;
using namespace std::chrono_literals;
using namespace postrider::store;
using postrider::testing::node_of;
using postrider::testing::postgres_server;

namespace {

class Pg : public ::testing::Test {
protected:
  error::kind fault(const pg::statement& what) {
    try {
      link.run(what, {});
    } catch (const error& failure) {
      return failure.what_kind();
    }
    throw std::logic_error{"it did not fail"};
  }

  std::string url = postgres_server::shared().url("postgres");
  pg::connection link{url,
                      {.application_name = "pg test",
                       .settings = {"set search_path = pg_catalog"}}};
};

} // namespace

TEST_F(Pg, CarriesArraysOfEachTypeWithNulls) {
  pg::array small{pg::type::int2};
  pg::array plain{pg::type::int4};
  pg::array big{pg::type::int8};
  pg::array yes{pg::type::boolean};
  pg::array ids{pg::type::uuid};
  pg::array texts{pg::type::text};
  pg::array bytes{pg::type::bytea};
  pg::array times{pg::type::timestamptz};
  pg::array json{pg::type::jsonb};
  small.int2(-2).null();
  plain.int4(1'000'000).null();
  big.int8(-5'000'000'000).null();
  yes.boolean(true).null();
  ids.id(node_of(5)).null();
  texts.bytes("\xc3\xa9\",{}").null();
  bytes.bytes(std::string("\0\xff", 2)).null();
  times.micros(1'500'000).null();
  json.json(R"({"a":1})").null();
  const auto got = link.run(
      {"all", "select * from unnest($1::int2[], $2::int4[], $3::int8[], "
              "$4::bool[], $5::uuid[], $6::text[], $7::bytea[], "
              "$8::timestamptz[], $9::jsonb[]) with ordinality "
              "as g(a, b, c, d, e, f, g, h, i, n)"},
      pg::params{}
          .add(small)
          .add(plain)
          .add(big)
          .add(yes)
          .add(ids)
          .add(texts)
          .add(bytes)
          .add(times)
          .add(json));
  ASSERT_EQ(got.size(), 2);
  EXPECT_EQ(got.int2(0, 0), -2);
  EXPECT_EQ(got.int4(0, 1), 1'000'000);
  EXPECT_EQ(got.int8(0, 2), -5'000'000'000);
  EXPECT_TRUE(got.boolean(0, 3));
  EXPECT_EQ(got.id(0, 4), node_of(5));
  EXPECT_EQ(got.bytes(0, 5), "\xc3\xa9\",{}");
  EXPECT_EQ(got.bytes(0, 6), std::string("\0\xff", 2));
  EXPECT_EQ(got.micros(0, 7), 1'500'000);
  for (int column = 0; column < 9; ++column)
    EXPECT_TRUE(got.null(1, column)) << column;
}

TEST_F(Pg, CarriesEmptyArraysAndSingleValues) {
  pg::array none{pg::type::int8};
  const auto got = link.run(
      {"one",
       "select coalesce(cardinality($1::int8[]), 0), $2::int2, $3::int4, "
       "$4::int8, $5::bool, $6::uuid, $7::text, $8::timestamptz"},
      pg::params{}
          .add(none)
          .int2(-1)
          .int4(2)
          .int8(-3)
          .boolean(false)
          .id(node_of(1))
          .null()
          .micros(-7));
  EXPECT_EQ(got.int4(0, 0), 0);
  EXPECT_EQ(got.int2(0, 1), -1);
  EXPECT_EQ(got.int4(0, 2), 2);
  EXPECT_EQ(got.int8(0, 3), -3);
  EXPECT_FALSE(got.boolean(0, 4));
  EXPECT_EQ(got.id(0, 5), node_of(1));
  EXPECT_TRUE(got.null(0, 6));
  EXPECT_EQ(got.micros(0, 7), -7);
}

TEST_F(Pg, SendsMoreThanASocketHolds) {
  pg::array large{pg::type::bytea};
  for (int i = 0; i < 64; ++i)
    large.bytes(std::string(1 << 20, 'x'));
  const auto got =
      link.run({"large", "select sum(octet_length(b))::int8, string_agg(b, '') "
                         "from unnest($1::bytea[]) b"},
               pg::params{}.add(large));
  EXPECT_EQ(got.int8(0, 0), 64 << 20);
  EXPECT_EQ(got.bytes(0, 1).size(), 64u << 20);
}

TEST_F(Pg, TellsFaultsApart) {
  using kind = error::kind;
  EXPECT_EQ(fault({"a", "select 1 / 0"}), kind::conflict);
  EXPECT_EQ(fault({"b", "select * from no_such_table"}), kind::broken);
  EXPECT_EQ(fault({"c", "selec"}), kind::defect);
  EXPECT_EQ(fault({"d", "select pg_terminate_backend(pg_backend_pid())"}),
            kind::transient);
  EXPECT_EQ(link.run({"e", "select 1"}, {}).int4(0, 0), 1);
}

TEST_F(Pg, EndsAStatementAtItsTimeout) {
  database where{url};
  where.statement_timeout = 50ms;
  pg::connection brief{where, {}};
  try {
    brief.run({"slow", "select pg_sleep(60)"}, {});
    FAIL() << "it ran on";
  } catch (const error& late) {
    EXPECT_EQ(late.what_kind(), error::kind::transient);
  }
}

TEST_F(Pg, AppliesItsSettingsToEachConnection) {
  const pg::statement path{"path", "select current_setting('search_path')"};
  EXPECT_EQ(link.run(path, {}).bytes(0, 0), "pg_catalog");
  EXPECT_EQ(fault({"gone", "select pg_terminate_backend(pg_backend_pid())"}),
            error::kind::transient);
  EXPECT_EQ(link.run(path, {}).bytes(0, 0), "pg_catalog");
  EXPECT_EQ(link.run({"name", "select current_setting('application_name')"}, {})
                .bytes(0, 0),
            "pg test");
}

// B-06: what has become a standby costs the connection at once; our own faults
// don't.
TEST_F(Pg, LeavesAServerThatTakesNoWritesOnly) {
  const pg::statement who{"who", "select pg_backend_pid()"};
  const auto before = link.run(who, {}).int4(0, 0);
  EXPECT_EQ(fault({"zero", "select 1 / 0"}), error::kind::conflict);
  EXPECT_EQ(link.run(who, {}).int4(0, 0), before);
  pg::connection reading{
      url, {.settings = {"set default_transaction_read_only = on"}}};
  const auto mine = reading.run(who, {}).int4(0, 0);
  EXPECT_THROW(reading.run({"write", "create table t (i int)"}, {}), error);
  EXPECT_NE(reading.run(who, {}).int4(0, 0), mine);
}

// B-15: nothing was written, so nothing is lost by another try.
TEST_F(Pg, RunsAgainWhatWasRolledBackForAnothersSake) {
  link.run({"make", "create temporary sequence tries"}, {});
  EXPECT_EQ(fault({"never", "do $$ begin perform nextval('tries'); "
                            "raise 'x' using errcode = '40P01'; end $$"}),
            error::kind::transient);
  EXPECT_EQ(link.run({"count", "select last_value from pg_temp.tries"}, {})
                .int8(0, 0),
            4);
}

TEST_F(Pg, SaysTransientWhenNoServerAnswers) {
  pg::connection nowhere{"host=127.0.0.1 port=1 dbname=x", {}};
  try {
    nowhere.run({"one", "select 1"}, {});
    FAIL() << "nothing listens there";
  } catch (const error& away) {
    EXPECT_EQ(away.what_kind(), error::kind::transient);
  }
}
