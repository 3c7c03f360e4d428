#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <map>
#include <mutex>
#include <optional>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// A primary, its standby, and a bench that looks for the primary among both.
class Failover : public ::testing::Test {
protected:
  Failover() {
    pqxx::connection link{first.migrated_database()};
    both = postgres_server::url_of({&first, &*second}, link.dbname());
    bench.emplace(both + "&target_session_attrs=read-write",
                  [this](const arrival& got) {
                    const std::lock_guard lock{mutex};
                    auto& body = bodies[got.find("webhook-id")];
                    mixed = mixed || (!body.empty() && body != got.body);
                    body = got.body;
                    return answer(204);
                  });
  }

  void configure(postgres_server& where, const std::string& setting) {
    pqxx::connection link{where.url("postgres")};
    pqxx::nontransaction run{link};
    run.exec("alter system set " + setting);
    run.exec("select pg_reload_conf()");
  }
  std::string ask(postgres_server& where, const std::string& sql) {
    pqxx::connection link{where.url("postgres")};
    pqxx::nontransaction run{link};
    return run.exec1(sql)[0].as<std::string>("");
  }

  postgres_server first;
  std::unique_ptr<postgres_server> second = first.standby("second");
  std::string both;
  std::mutex mutex;
  std::map<std::string, std::string> bodies; ///< by `webhook-id`
  bool mixed = false;                        ///< one id came with two bodies
  std::optional<fault_bench> bench;
};

// B-06, PG-09: the URL names both servers and nothing else is done to the node.
// The standby has all that was accepted; the node follows within ten seconds.
TEST_F(Failover, ToASynchronousStandbyLosesNothing) {
  configure(first, "synchronous_standby_names = 'second'");
  bench->start("", {{"STORAGE__URL", both}});
  bench->endpoint();
  producers load{*bench, 2, "p", 2ms};
  ASSERT_TRUE(bench->shop().wait_for(50)) << bench->node().log();
  first.stop_immediate();
  EXPECT_TRUE(eventually([&] {
    return bench->here().call(bench->node(), "READY", "/readyz").status == 503;
  }));
  second->promote();
  configure(*second, "synchronous_standby_names = ''");
  bench->mark("database", "", 10s);
  const auto had = bench->shop().count();
  EXPECT_TRUE(bench->shop().wait_for(had + 50)) << bench->node().log();
  // The old primary is back and takes writes, and the URL names it first.
  first.start();
  configure(first, "synchronous_standby_names = ''");
  EXPECT_EQ(ask(*second, "select count(pg_terminate_backend(pid)) > 0 from "
                         "pg_stat_activity where application_name like "
                         "'postrider %'"),
            "t");
  const auto then = bench->shop().count();
  EXPECT_TRUE(bench->shop().wait_for(then + 50)) << bench->node().log();
  EXPECT_GT(load.stop(), 0);
  EXPECT_EQ(ask(first, "select count(*) from pg_stat_activity where "
                       "application_name in ('postrider settler', "
                       "'postrider ingest')"),
            "0");         // B-09
  first.stop_immediate(); // the bench is to look at the other one
  ASSERT_TRUE(bench->drained()) << bench->node().log();
  EXPECT_FALSE(mixed);
  const auto verdicts = bench->judge();
  EXPECT_TRUE(holds(verdicts)) << bench->said();
  put_on_record("B-06", "promotion of a synchronous standby", 1, verdicts);
}

// B-07: what an asynchronous standby did not have yet is lost, as documented:
// events that were accepted, and the record of deliveries, which go out again.
// No id stands for two deliveries.
TEST_F(Failover, ToAnAsynchronousStandbyLosesOnlyWhatItLacked) {
  bench->start("", {{"STORAGE__URL", both}});
  const auto to = "/v1/endpoints/" + bench->endpoint();
  const auto tell = [&](const char* verb) {
    EXPECT_TRUE(eventually([&] {
      return bench->here().call("POST", to + verb).status == 200;
    })) << verb;
  };
  const auto some = [&](const std::string& name, int many) {
    for (int i = 0; i < many; ++i)
      EXPECT_TRUE(bench->insist(fmt::format("{}{}", name, i)));
  };
  tell("/pause");
  some("open", 20);
  ASSERT_TRUE(eventually([&] {
    return ask(first, "select bool_and(replay_lsn >= pg_current_wal_lsn()) "
                      "from pg_stat_replication")
           == "t";
  }));
  configure(*second, "primary_conninfo = ''");
  ASSERT_TRUE(eventually([&] {
    return ask(first, "select count(*) from pg_stat_replication") == "0";
  }));
  // From here on the standby hears of nothing.
  tell("/resume");
  some("late", 30);
  ASSERT_TRUE(bench->shop().wait_for(50)) << bench->node().log();
  ASSERT_TRUE(bench->drained());
  first.stop_immediate();
  second->promote();
  bench->mark("failover", bench->name(), 10s);
  tell("/resume");
  some("new", 30);
  ASSERT_TRUE(bench->drained()) << bench->node().log();
  const auto verdicts = bench->judge();
  EXPECT_EQ(number_of(verdicts, "I1", "lost"), 30) << bench->said();
  EXPECT_EQ(number_of(verdicts, "I2", "U3"), 20) << bench->said();
  EXPECT_EQ(number_of(verdicts, "I2", "avoidable"), 0) << bench->said();
  EXPECT_FALSE(mixed);
  put_on_record("B-07",
                "promotion of an asynchronous standby that lacked 30 events", 1,
                verdicts, {}, true);
}

} // namespace
} // namespace postrider::testing
