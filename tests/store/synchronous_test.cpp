#include "store/error.hpp"
#include "store/ingester.hpp"
#include "store/session.hpp"
#include "tests/store/tenancy.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>

#include <future>
#include <optional>

namespace postrider::store {
namespace {

using namespace std::chrono_literals;
using status = ingest_result::status;
using testing::eventually;
using testing::postgres_server;

/// A primary whose commits have to reach a standby, which has gone.
class Synchronous : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    server.emplace();
    standby = server->standby("second");
    standby->stop();
  }
  static void TearDownTestSuite() {
    standby.reset();
    server.reset();
  }
  Synchronous() : url{server->migrated_database()} {
    testing::sql db{url};
    testing::add_tenant(db, "t");
    configure("second");
  }
  ~Synchronous() override {
    standby->stop();
    configure("");
  }

  static void configure(const std::string& names) {
    pqxx::connection link{server->url("postgres")};
    pqxx::nontransaction run{link};
    run.exec("alter system set synchronous_standby_names = '" + names + "'");
    run.exec("select pg_reload_conf()");
    ASSERT_TRUE(eventually([&] {
      return run.exec1("show synchronous_standby_names")[0].as<std::string>()
             == names;
    }));
  }

  database within(std::chrono::milliseconds limit) const {
    database out{url};
    out.statement_timeout = limit;
    out.silence = 200ms;
    return out;
  }

  static status send(ingester& to) {
    new_event out;
    out.tenant = std::string{"t"};
    out.type = "a.b";
    out.key = "k";
    out.payload = std::string{"{}"};
    return to.ingest(std::vector{out}).at(0).what;
  }

  static bool is_unknown(ingester& to) {
    try {
      send(to);
      return false;
    } catch (const error& fault) {
      return fault.what_kind() == error::kind::transient;
    }
  }

  std::string ask(const std::string& sql) const {
    pqxx::connection link{url};
    pqxx::nontransaction run{link};
    return run.exec1(sql)[0].as<std::string>();
  }
  int waiting() const {
    return std::stoi(ask("select count(*) from pg_stat_activity where "
                         "wait_event = 'SyncRep'"));
  }

  static inline std::optional<postgres_server> server;
  static inline std::unique_ptr<postgres_server> standby;
  std::string url;
};

// B-08: the wait has an end on our side, and leaves no backend waiting; a
// success is told once a standby has what it stands for.
TEST_F(Synchronous, StandbyThatIsGoneMakesACommitUnknown) {
  ingester brief{within(300ms)};
  EXPECT_TRUE(is_unknown(brief));
  EXPECT_TRUE(eventually([&] { return waiting() == 0; }));
  EXPECT_EQ(ask("select count(*) from postrider.event"), "1");
  // The repeat finds it, and the standby still does not have it.
  EXPECT_TRUE(is_unknown(brief));
  EXPECT_TRUE(eventually([&] { return waiting() == 0; }));
  standby->start();
  EXPECT_TRUE(eventually([&] { return !is_unknown(brief); }));
  EXPECT_EQ(send(brief), status::duplicate);
  EXPECT_EQ(ask("select count(*) from postrider.event"), "1");
}

// B-08: a wait that is cancelled ends in a success with a warning.
TEST_F(Synchronous, CommitWhoseWaitIsCancelledIsUnknown) {
  ingester patient{within(60s)};
  auto sent =
      std::async(std::launch::async, [&] { return is_unknown(patient); });
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  ask("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = "
      "'SyncRep'");
  EXPECT_TRUE(sent.get());
  session calm{within(60s), "calm"};
  auto changed = std::async(std::launch::async, [&] {
    try {
      calm.run([](pqxx::work& work) {
        work.exec0("update postrider.tenant set name = 'x'");
      });
      return false;
    } catch (const error& fault) {
      return fault.what_kind() == error::kind::transient;
    }
  });
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  ask("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = "
      "'SyncRep'");
  EXPECT_TRUE(changed.get());
  // Both connections are sound, and the doubt is over with its statement.
  configure("");
  EXPECT_EQ(send(patient), status::duplicate);
  calm.run([](pqxx::work& work) { work.exec1("select 1"); });
}

} // namespace
} // namespace postrider::store
