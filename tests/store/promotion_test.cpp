#include "store/database_facts.hpp"
#include "store/error.hpp"
#include "store/pg.hpp"
#include "store/session.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>

namespace postrider::store {
namespace {

using testing::postgres_server;

/// A primary and its standby.
class Promotion : public ::testing::Test {
protected:
  std::string fault_of(pg::connection& link) {
    try {
      link.run(where_am_i, {});
      return "";
    } catch (const error& fault) {
      EXPECT_EQ(fault.what_kind(), error::kind::transient);
      return fault.what();
    }
  }
  std::string at(pg::connection& link) {
    return std::string{link.run(where_am_i, {}).bytes(0, 0)};
  }
  static std::string data(const postgres_server& of) {
    return of.folder() + "/data";
  }

  static constexpr pg::statement where_am_i{
      "where", "select current_setting('data_directory')"};

  postgres_server first;
  std::unique_ptr<postgres_server> second = first.standby("second");
};

// PG-09: a standby is refused when connecting, and of several hosts it is the
// primary, wherever it stands.
TEST_F(Promotion, LeavesNoConnectionToAStandby) {
  const auto alone = second->url("postgres");
  pg::connection link{alone, {}};
  EXPECT_NE(fault_of(link).find("standby"), std::string::npos);
  session calm{alone, "calm"};
  const auto ask = [](pqxx::work& work) { work.exec1("select 1"); };
  EXPECT_THROW(calm.run(ask), error);
  EXPECT_TRUE(facts_of(alone).read_only); // the doctor has to see one
  pg::connection either{
      postgres_server::url_of({second.get(), &first}, "postgres"), {}};
  EXPECT_EQ(at(either), data(first));
  first.stop();
  EXPECT_NE(fault_of(either), "");
  second->promote();
  EXPECT_EQ(at(either), data(*second));
  EXPECT_EQ(at(link), data(*second));
  calm.run(ask);
}

// B-09: both take writes, and the old primary stands first in the URL.
TEST_F(Promotion, MakesTheOldPrimaryNobodysServer) {
  database where{postgres_server::url_of({&first, second.get()}, "postgres")};
  pg::connection one{where, {}};
  pg::connection other{where, {}};
  session calm{where, "calm"};
  const auto calmly = [&] {
    return calm.run([](pqxx::work& work) {
      return work.exec1("select current_setting('data_directory')")[0]
          .as<std::string>();
    });
  };
  EXPECT_EQ(at(one), data(first));
  EXPECT_EQ(at(other), data(first));
  EXPECT_EQ(calmly(), data(first));
  second->promote(); // which the first one does not know of
  EXPECT_EQ(at(one), data(first));
  database newer{second->url("postgres")};
  newer.known = where.known;
  pg::connection scout{newer, {}};
  EXPECT_EQ(at(scout), data(*second));
  // What one has seen, all follow, though the list begins with the old one.
  EXPECT_EQ(at(one), data(*second));
  EXPECT_EQ(at(other), data(*second));
  EXPECT_EQ(calmly(), data(*second));
  database alone{first.url("postgres")};
  alone.known = where.known;
  pg::connection lost{alone, {}};
  EXPECT_NE(fault_of(lost).find("old primary"), std::string::npos);
}

} // namespace
} // namespace postrider::store
