#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::vector<std::string> tables_of(const std::string& url) {
  pqxx::connection link{url};
  pqxx::nontransaction run{link};
  std::vector<std::string> out;
  for (const auto& row :
       run.exec("select c.oid::regclass::text from pg_class c "
                "where c.relnamespace = 'postrider'::regnamespace "
                "and c.relkind in ('r', 'p') and not c.relispartition"))
    out.push_back(row[0].as<std::string>());
  return out;
}

// B-14: somebody holds a table. Producers are told to come back in time, no
// crowd of backends forms, and it is over soon after the lock is.
TEST(LockedTables, AreAnsweredInTime) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start("", {{"STORAGE__STATEMENT_TIMEOUT", "500ms"},
                   {"INGEST__TIMEOUT", "500ms"}});
  bench.endpoint();
  producers load{bench, 2, "p", 5ms};
  ASSERT_TRUE(bench.shop().wait_for(20)) << bench.node().log();
  // Each by itself takes its time: in the short form those that all need.
  const auto tables =
      long_run()
          ? tables_of(bench.here().url())
          : std::vector<std::string>{"postrider.delivery", "postrider.event",
                                     "postrider.partition"};
  ASSERT_GE(tables.size(), 3u);
  steady_clock::duration longest{};
  int calls = 0;
  for (const auto& table : tables) {
    pqxx::connection link{bench.here().url()};
    std::optional<pqxx::work> holder{std::in_place, link};
    // Waits in line behind those who use it.
    holder->exec("lock table " + table + " in access exclusive mode");
    const auto until = steady_clock::now() + (long_run() ? 30s : 1s);
    while (steady_clock::now() < until) {
      const auto asked = steady_clock::now();
      const auto status = bench.send(fmt::format("locked{}", ++calls));
      longest = std::max(longest, steady_clock::now() - asked);
      EXPECT_TRUE(status == 201 || status == 503) << status;
      if (status == 201)
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_LE(std::stoi(holder
                            ->exec1("select count(*) from pg_stat_activity "
                                    "where datname = current_database() and "
                                    "wait_event_type = 'Lock'")[0]
                            .as<std::string>()),
              16)
        << table;
    holder->commit();
    holder.reset();
    bench.mark("lock", "", 5s);
    const auto had = bench.shop().count();
    EXPECT_TRUE(bench.shop().wait_for(had + 10)) << table << bench.node().log();
  }
  EXPECT_LT(longest, 5s);
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                             "outcome <> 'succeeded'"),
            "0");
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-14", "LOCK TABLE", static_cast<int>(tables.size()),
                verdicts);
}

// B-13: a snapshot that is held keeps dead rows, and nothing walks them.
TEST(LongTransaction, NeitherStopsNorSlowsWhatIsNew) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  const auto rate = [&](const std::string& name, auto span) {
    producers load{bench, 2, name};
    std::this_thread::sleep_for(span);
    return load.stop();
  };
  const auto span = long_run() ? std::chrono::seconds{300} : 2s;
  rate("warm", 1s);
  const auto before = rate("before", span);
  pqxx::connection link{bench.here().url()};
  pqxx::work holder{link};
  holder.exec("set transaction isolation level repeatable read");
  holder.exec("select count(*) from postrider.delivery");
  const auto beside = rate("beside", span);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  holder.commit();
  fmt::print("B-13: {} events before, {} beside a held snapshot\n", before,
             beside);
  // The short form only sees that it goes on: others share this machine.
  EXPECT_GT(beside, long_run() ? before * 7 / 10 : 20);
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-13", "snapshot held by another", 1, verdicts);
}

} // namespace
} // namespace postrider::testing
