#include "store/backlog_statements.hpp"
#include "store/health_statements.hpp"
#include "store/reader.hpp"
#include "store/reader_statements.hpp"
#include "store/settler_statements.hpp"
#include "tests/store/backlog.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>

using namespace postrider;
using postrider::testing::backlog;
using postrider::testing::sql;
namespace statements = store::statements;

namespace {

struct hot {
  store::pg::statement what;
  int parameters;
  std::string index;
};

const std::vector<hot> reads{
    {statements::read, 5, "delivery_pkey"},
    {statements::read_lagging, 6, "delivery_endpoint"},
    {statements::read_due, 4, "delivery_due"},
    {statements::sweep, 3, "delivery_pkey"},
    {statements::start_of, 1, "delivery_pkey"},
    {statements::backlog_heads, 3, "delivery_pkey"},
};
const std::vector<hot> writes{
    {statements::settle_succeeded, 11, "delivery_pkey"},
    {statements::settle, 21, "delivery_pkey"},
};

// Two walks: which rows, then the rows.
const std::vector<hot> flips{
    {statements::hold_chunk, 6, "delivery_endpoint"},
    {statements::cancel_chunk, 7, "delivery_endpoint"},
};

// The plans that a connection with these settings would keep.
std::string plan(const std::string& url,
                 const std::vector<std::string>& settings, const hot& one) {
  sql db{url};
  for (const auto& setting : settings)
    db(setting);
  db(fmt::format("prepare s as {}", one.what.sql));
  std::string nulls = "null";
  for (int i = 1; i < one.parameters; ++i)
    nulls += ", null";
  std::string out;
  for (const auto& row : db(fmt::format("explain execute s({})", nulls)))
    out += row[0].as<std::string>() + "\n";
  return out;
}

void expect_walks(const std::string& text, const hot& one) {
  std::size_t walks = 0;
  for (auto at = text.find(" on delivery "); at != std::string::npos;
       at = text.find(" on delivery ", at + 1)) {
    const auto line =
        text.substr(text.rfind('\n', at) + 1, at - text.rfind('\n', at) - 1);
    if (line.find("Scan") == std::string::npos)
      continue;
    ++walks;
    EXPECT_TRUE(line.ends_with("Index Scan using " + one.index)) << text;
  }
  EXPECT_GE(walks, 1u) << one.what.name << text;
  EXPECT_EQ(text.find("JIT"), std::string::npos) << text;
  EXPECT_EQ(text.find("Bitmap"), std::string::npos) << text;
  EXPECT_EQ(text.find("Seq Scan on delivery "), std::string::npos) << text;
}

class Plans : public ::testing::Test, protected backlog {
protected:
  void expect_all() {
    for (const auto& one : reads)
      expect_walks(plan(url, statements::reader_settings(), one), one);
    for (const auto& one : writes)
      expect_walks(plan(url, statements::settler_settings(), one), one);
    for (const auto& one : flips) {
      const auto text = plan(url, statements::health_settings(), one);
      EXPECT_NE(text.find("using delivery_endpoint on"), std::string::npos)
          << text;
      EXPECT_NE(text.find("using delivery_pkey on"), std::string::npos) << text;
      EXPECT_EQ(text.find("Seq Scan on delivery "), std::string::npos) << text;
    }
    const hot clock{statements::health_due, 2, "endpoint_health_clock"};
    const auto text = plan(url, statements::reader_settings(), clock);
    EXPECT_NE(text.find("using endpoint_health_clock on"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("Seq Scan"), std::string::npos) << text;
  }

  void fill() {
    db("insert into postrider.delivery (endpoint, stream, deadline, event, "
       "size, partition) select g % 500, 0, now(), gen_random_uuid(), 1, "
       "g % 256 from generate_series(1, 60000) g");
    db("update postrider.delivery set state = 'retrying', due_at = now() "
       "where id % 20 = 0");
  }
};

} // namespace

// PERFORMANCE 2.10: a prepared plan is kept, also one made for no rows.
TEST_F(Plans, AreOrderedIndexWalksOnAnEmptyTable) {
  expect_all();
  db("vacuum analyze postrider.delivery");
  expect_all();
}

// LEASE-12
TEST_F(Plans, AreOrderedIndexWalksOnAFullTable) {
  fill();
  expect_all();
  db("vacuum analyze postrider.delivery");
  expect_all();
}

TEST_F(Plans, StayThoseOfAFullTableWhenItHasEmptied) {
  fill();
  db("analyze postrider.delivery");
  db("delete from postrider.delivery");
  db("vacuum postrider.delivery");
  expect_all();
}

// PG-17: what waits for long costs nothing.
TEST_F(Plans, FindWhatIsDueAmongVeryManyThatAreNot) {
  db("insert into postrider.delivery (endpoint, stream, deadline, due_at, "
     "state, attempts, event, size, partition) select 1, 0, now() + '90 d', "
     "now() + case when g <= 10 then interval '-1 s' else interval '30 d' end, "
     "'retrying', 1, gen_random_uuid(), 1, 7 from generate_series(1, 50010) g");
  expect_all();
  db("vacuum analyze postrider.delivery");
  expect_all();
  store::reader in{url};
  const std::array<std::uint16_t, 1> mine{7};
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(in.read_due(mine, 0, {}, 100).rows.size(), 10u);
  EXPECT_LT(std::chrono::steady_clock::now() - asked,
            std::chrono::milliseconds{500});
}

TEST_F(Plans, LookIntoNoMoreDaysThanTheIdsSpan) {
  const auto text =
      plan(url, statements::reader_settings(), {statements::events, 3, ""});
  EXPECT_EQ(text.find("Seq Scan"), std::string::npos) << text;
  sql other{url};
  for (const auto& setting : statements::reader_settings())
    other(setting);
  other(fmt::format("prepare s as {}", statements::events.sql));
  publish(1);
  endpoint({"order.*"});
  const auto id = db.one("select id from postrider.event");
  std::string all;
  for (const auto& row :
       other(fmt::format("explain execute s('{{{0}}}', '{0}', '{0}')", id)))
    all += row[0].as<std::string>() + "\n";
  EXPECT_NE(all.find("Subplans Removed"), std::string::npos) << all;
}
