#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/faults/sql_producer.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <atomic>
#include <numeric>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

// What one node takes is delivered by the other long before its next poll.
TEST(WakeUp, ReachesTheNodeThatHasThePartition) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  const std::map<std::string, std::string> rarely{
      {"DELIVERY__POLL_MIN", "10s"}, {"DELIVERY__POLL_MAX", "60s"}};
  auto with = [&](std::string role) {
    auto out = rarely;
    out["NODE__ROLE"] = std::move(role);
    return out;
  };
  here.start(with("api"));
  here.start(with("worker"));
  here.tenant();
  here.endpoint(shop.url());
  for (std::size_t i = 1; i <= 20; ++i) {
    here.send("a.b", fmt::format("{}", i));
    ASSERT_TRUE(shop.wait_for(i, 8s)) << i;
  }
}

// PG-06: the backend that listens is killed, and an event is accepted by a node
// that does not deliver. It costs one poll at most, and soon the bell is heard
// again.
TEST(WakeUp, ThatNobodyHearsCostsOnePoll) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start({{"NODE__ROLE", "api"}});
  here.start({{"NODE__ROLE", "worker"},
              {"DELIVERY__POLL_MIN", "1s"},
              {"DELIVERY__POLL_MAX", "1s"}});
  here.tenant();
  here.endpoint(shop.url());
  here.send("a.b", "0");
  ASSERT_TRUE(shop.wait_for(1, 20s));
  const std::string listening =
      "from pg_stat_activity where datname = current_database() and "
      "application_name = 'postrider listener'";
  ASSERT_EQ(here.sql("select count(*) from (select pg_terminate_backend(pid) "
                     + listening + ") as ended"),
            "2");
  here.send("a.b", "1");
  EXPECT_TRUE(shop.wait_for(2, 5s));
  EXPECT_TRUE(eventually(
      [&] { return here.sql("select count(*) " + listening) == "2"; }, 10s));
}

// B-21: wake-ups only hurry things. With the listening backend killed again
// and again, and many that ring, all is delivered in order.
TEST(WakeUp, ThatIsLostOrComesInAFloodLosesNothing) {
  const int writers = long_run() ? 64 : 16;
  const int each = long_run() ? 200 : 20;
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  for (int i = 0; i < 4; ++i)
    bench.endpoint();
  {
    pqxx::connection link{bench.here().url()};
    pqxx::nontransaction{link}.exec(
        fmt::format("alter database {} set postrider.notify = on",
                    link.quote_name(link.dbname())));
  }
  std::atomic<bool> done{false};
  std::atomic<int> killed{0};
  std::thread killer{[&] {
    pqxx::connection link{bench.here().url()};
    pqxx::nontransaction run{link};
    while (!done) {
      killed += static_cast<int>(
          run.exec("select pg_terminate_backend(pid) from pg_stat_activity "
                   "where datname = current_database() and "
                   "application_name = 'postrider listener'")
              .size());
      run.exec("select pg_sleep(0.1)");
    }
  }};
  std::vector<int> numbers(static_cast<std::size_t>(writers));
  std::iota(numbers.begin(), numbers.end(), 0);
  in_parallel(numbers, [&](int number) {
    sql_producer one{bench};
    for (int i = 0; i < each; ++i) {
      one.publish(fmt::format("w{}-{}", number, i));
      one.commit();
    }
  });
  const bool drained = bench.drained();
  done = true;
  killer.join();
  ASSERT_TRUE(drained) << bench.node().log();
  EXPECT_GT(killed, 0);
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-21", "wake-ups lost, and a flood of them", killed, verdicts);
}

} // namespace
} // namespace postrider::testing
