#include "store/error.hpp"
#include "store/migrations.hpp"
#include "store/migrator.hpp"
#include "tests/store/sql.hpp"
#include "tests/support/postgres.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace postrider;
using postrider::testing::postgres_server;
using postrider::testing::sql;
using store::migrator;

namespace {

std::string broken_message(migrator& of, void (*call)(migrator&)) {
  try {
    call(of);
  } catch (const store::error& failure) {
    EXPECT_EQ(failure.what_kind(), store::error::kind::broken);
    return failure.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

void up(migrator& it) {
  it.up();
}
void check(migrator& it) {
  it.check();
}

} // namespace

TEST(Migrator, AppliesEverythingOnceAndReportsIt) {
  const auto url = postgres_server::shared().fresh_database();
  migrator it{url};
  for (const auto& row : it.status())
    EXPECT_FALSE(row.applied);
  EXPECT_EQ(it.up().size(), store::migrations().size());
  EXPECT_TRUE(it.up().empty());
  ASSERT_EQ(it.status().size(), store::migrations().size());
  for (const auto& row : it.status()) {
    EXPECT_TRUE(row.applied) << row.name;
    EXPECT_EQ(row.applied_at.size(), 24u) << row.applied_at;
  }
  EXPECT_NO_THROW(it.check());
}

TEST(Migrator, LetsEightNodesStartAtOnce) {
  const auto url = postgres_server::shared().fresh_database();
  std::vector<std::thread> nodes;
  std::atomic<std::size_t> applied{0};
  for (int i = 0; i < 8; ++i)
    nodes.emplace_back([&] {
      EXPECT_NO_THROW({
        migrator it{url};
        applied += it.up().size();
      });
    });
  for (auto& node : nodes)
    node.join();
  EXPECT_EQ(applied, store::migrations().size());
  EXPECT_NO_THROW(migrator{url}.check());
}

TEST(Migrator, LetsDatabasesOfOneClusterMigrateAtOnce) {
  // The role is the cluster's: a race between databases, on a new cluster.
  postgres_server cluster;
  std::vector<std::thread> nodes;
  for (int i = 0; i < 6; ++i)
    nodes.emplace_back([url = cluster.fresh_database()] {
      EXPECT_NO_THROW(migrator{url}.up());
    });
  for (auto& node : nodes)
    node.join();
}

// what one version more has added to the schema is in nobody's way.
TEST(Migrator, WorksWithADatabaseThatIsNewerByWhatWasAdded) {
  const auto url = postgres_server::shared().migrated_database();
  sql{url}("insert into postrider.migration (number, name, checksum) "
           "values (9999, '9999_future', 'x')");
  migrator it{url};
  EXPECT_NO_THROW(it.check());
  EXPECT_TRUE(it.up().empty());
}

TEST(Migrator, RefusesADatabaseThatNeedsANewerBinary) {
  const auto url = postgres_server::shared().migrated_database();
  sql{url}("insert into postrider.migration (number, name, checksum, least) "
           "values (9999, '9999_future', 'x', 9999)");
  migrator it{url};
  for (auto* call : {up, check}) {
    const auto message = broken_message(it, call);
    EXPECT_NE(message.find("9999_future"), std::string::npos) << message;
    EXPECT_NE(message.find("newer"), std::string::npos) << message;
  }
}

TEST(Migrator, MissesWhatAnotherMigrationDoesNotReplace) {
  const auto url = postgres_server::shared().migrated_database();
  sql{url}("update postrider.migration set number = 9999, name = 'other', "
           "checksum = 'x' where number = 16");
  migrator it{url};
  EXPECT_NE(broken_message(it, check).find("postrider migrate up"),
            std::string::npos);
}

TEST(Migrator, RefusesAMigrationThatWasChangedAfterItRan) {
  const auto url = postgres_server::shared().migrated_database();
  sql{url}("update postrider.migration set checksum = repeat('0', 64) "
           "where number = 2");
  migrator it{url};
  for (auto* call : {up, check}) {
    const auto message = broken_message(it, call);
    EXPECT_NE(message.find("0002_partitions"), std::string::npos) << message;
  }
}

TEST(Migrator, SaysHowToBringABehindDatabaseUp) {
  const auto url = postgres_server::shared().fresh_database();
  migrator it{url};
  EXPECT_NE(broken_message(it, check).find("postrider migrate up"),
            std::string::npos);
}

TEST(Migrator, RefusesADatabaseThatIsNotUtf8) {
  auto& server = postgres_server::shared();
  const auto name = "latin_" + std::to_string(::getpid());
  sql admin{server.url("postgres")};
  admin("create database " + name
        + " template template0 encoding 'LATIN1' locale 'C'");
  migrator it{server.url(name)};
  EXPECT_NE(broken_message(it, up).find("LATIN1"), std::string::npos);
  admin("drop database " + name + " with (force)");
}

TEST(Migrator, LeavesNothingOfAMigrationThatFails) {
  const auto url = postgres_server::shared().fresh_database();
  sql db{url};
  // In the way of the first migration's last table.
  db("create schema postrider; create table postrider.node (x int)");
  migrator it{url};
  EXPECT_THROW(it.up(), store::error);
  EXPECT_EQ(db.one("select to_regclass('postrider.tenant')"), "null");
  db("drop table postrider.node");
  EXPECT_EQ(it.up().size(), store::migrations().size());
}

TEST(Migrator, IsTransientWhenThereIsNoServer) {
  migrator it{"postgresql:///x?host=/nonexistent"};
  try {
    it.up();
    FAIL();
  } catch (const store::error& failure) {
    EXPECT_EQ(failure.what_kind(), store::error::kind::transient);
  }
}
