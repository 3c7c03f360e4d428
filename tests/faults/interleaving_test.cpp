#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/faults/sql_producer.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// One random step of one of several producers.
void step_of(sql_producer& by, const std::string& key, std::mt19937_64& dice) {
  const auto choice = dice() % 10;
  if (choice < 6 || !by.open())
    by.publish(key, fmt::format("s{}", dice() % 4));
  else if (choice < 9)
    by.commit();
  else
    by.abort();
}

// B-20, G3: whatever the order in which transactions begin, insert, commit and
// roll back, no event is skipped, what was accepted before another was sent
// goes first, and what one transaction wrote keeps its order. The healthy twin
// commits one transaction after the other.
TEST(Interleavings, OfTransactionsSkipNothingAndKeepTheOrder) {
  const int moves = long_run() ? 10'000 : 600;
  for (const std::size_t producers : {1u, 8u}) {
    fault_bench bench{[](const arrival&) { return answer(204); }};
    bench.start();
    bench.endpoint();
    bench.endpoint(R"("ordering":"none")");
    std::vector<std::unique_ptr<sql_producer>> all;
    for (std::size_t i = 0; i < producers; ++i)
      all.push_back(std::make_unique<sql_producer>(bench));
    auto dice = dice_for(producers);
    for (int move = 0; move < moves; ++move)
      step_of(*all[dice() % producers], fmt::format("k{}", move), dice);
    for (const auto& one : all)
      if (one->open())
        one->commit();
    EXPECT_TRUE(bench.drained()) << bench.node().log();
    const auto verdicts = bench.judge();
    EXPECT_TRUE(holds(verdicts)) << bench.said();
    put_on_record("B-20",
                  fmt::format("interleaved commits of {} producers", producers),
                  moves, verdicts);
  }
}

} // namespace
} // namespace postrider::testing
