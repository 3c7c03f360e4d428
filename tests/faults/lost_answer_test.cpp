#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

// C-08, S3.53: the request arrives, the answer never does. The same delivery
// goes out again under the same id, as often as no answer came and no oftener.
TEST(LostAnswer, LeadsToOneMoreAttemptOfTheSameDelivery) {
  std::atomic<int> swallowed{0};
  fault_bench bench{[&](const arrival& got) -> script {
    if (got.find("X-Postrider-Attempt") != "0")
      return answer(204);
    ++swallowed;
    return {{step::kind::pause, "", 20s}};
  }};
  // Its health is not what is tried here.
  bench.start(
      "", {{"HEALTH__DEGRADED_AFTER", "1000"}, {"HEALTH__FAILURE_RATIO", "2"}});
  bench.endpoint(R"("retry":"50ms 50ms")");
  const int count = long_run() ? 200 : 12;
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(bench.send(fmt::format("k{}", i), fmt::format("s{}", i)), 201);
  EXPECT_TRUE(bench.drained(120s)) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  EXPECT_EQ(number_of(verdicts, "I2", "U4"), swallowed) << bench.said();
  put_on_record("C-08", "the answer is lost", swallowed, verdicts);
}

// C-14: a kept connection ends when the next request is there, before a byte
// of an answer. That request goes out once more, on a fresh connection,
// uncounted; and nothing else is repeated by the client.
TEST(LostAnswer, OnAConnectionThatWasKeptTooLongIsSentOnceMore) {
  std::mutex mutex;
  std::set<int> used;
  std::atomic<int> ended{0};
  fault_bench bench{[&](const arrival& got) -> script {
    const std::lock_guard lock{mutex};
    if (used.insert(got.connection).second)
      return answer(200);
    ++ended;
    return {{step::kind::close, "", {}}};
  }};
  bench.start();
  for (int i = 0; i < 2; ++i)
    bench.endpoint(R"("retry":"20ms 20ms 20ms")");
  const int count = long_run() ? 5'000 : 40;
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(bench.send(fmt::format("k{}", i)), 201);
  EXPECT_TRUE(bench.drained()) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  EXPECT_GT(ended, 0);
  EXPECT_EQ(number_of(verdicts, "I2", "stale connection"), ended)
      << bench.said();
  fmt::print("C-14: {} of {} requests met a connection that had ended\n",
             ended.load(), count * 2);
  put_on_record("C-14", "kept connections end under way", ended, verdicts);
}

} // namespace
} // namespace postrider::testing
