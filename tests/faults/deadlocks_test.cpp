#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

// B-15, PG-12: claims, outcomes, retries, changes of endpoints and the making
// of partitions at the same time. What locks each other out is tried again and
// costs no attempt.
TEST(Deadlocks, OfAllThatWritesCostNoAttempt) {
  std::atomic<int> arrived{0};
  fault_bench bench{[&](const arrival&) {
    // The tenth of the attempts is to be retried.
    return answer(++arrived % 10 == 0 ? 503 : 204);
  }};
  for (int i = 0; i < 2; ++i)
    // What was paused comes back at once.
    bench.start("", {{"HEALTH__RAMP_START", "100000"}});
  std::vector<std::string> endpoints;
  for (int i = 0; i < 4; ++i)
    endpoints.push_back(bench.endpoint(
        R"("ordering":"none","retry":"50ms 50ms 50ms 50ms 50ms 50ms 50ms 50ms")"));
  const auto deadlocks = [&] {
    return std::stoi(bench.here().sql(
        "select deadlocks from pg_stat_database where datname = "
        "current_database()"));
  };
  const auto before = deadlocks();
  std::atomic<bool> stop{false};
  std::atomic<int> changes{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> others;
  const auto repeat = [&](std::function<void(int)> what) {
    others.emplace_back([&stop, &changes, what = std::move(what)] {
      for (int n = 0; !stop; ++n, ++changes)
        what(n);
    });
  };
  const auto change = [&](const char* verb, const std::string& path,
                          const std::string& body) {
    const auto status = bench.here().call(verb, path, body).status;
    if (status != 200 && status != 202 && status != 204 && status != 503)
      ++wrong;
  };
  repeat([&](int n) {
    const auto& one = endpoints[static_cast<std::size_t>(n) % 4];
    change("POST", "/v1/endpoints/" + one + "/pause", "");
    change("POST", "/v1/endpoints/" + one + "/resume", "");
  });
  repeat([&](int n) {
    change("PATCH",
           "/v1/endpoints/" + endpoints[static_cast<std::size_t>(n) % 4],
           fmt::format(R"({{"max_in_flight":{}}})", 1 + n % 8));
  });
  repeat([&](int) {
    pqxx::connection link{bench.here().url()};
    pqxx::work run{link};
    run.exec("select pg_advisory_xact_lock(7305452002)");
    run.exec("select postrider.make_partitions(7)");
    run.commit();
  });
  producers load{bench, 3};
  std::this_thread::sleep_for(long_run() ? 600s : 4s);
  stop = true;
  for (auto& one : others)
    one.join();
  EXPECT_GT(load.stop(), 0);
  EXPECT_GT(changes, 10);
  EXPECT_EQ(wrong, 0);
  for (const auto& one : endpoints)
    EXPECT_TRUE(eventually([&] {
      return bench.here()
                 .call("POST", "/v1/endpoints/" + one + "/resume")
                 .status
             == 200;
    }));
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  // Only what the receiver has refused itself.
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                             "outcome <> 'succeeded' and status is distinct "
                             "from 503"),
            "0");
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-15", "all that writes at the same time", 1, verdicts);
  fmt::print("B-15: {} deadlocks, {} changes\n", deadlocks() - before,
             changes.load());
}

} // namespace
} // namespace postrider::testing
