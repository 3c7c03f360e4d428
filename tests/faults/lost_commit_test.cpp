#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/postgres_proxy.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <mutex>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Loses every third answer or so to statements of one kind.
class some_answers {
public:
  explicit some_answers(std::string kind) : kind_{std::move(kind)} {}

  bool operator()(std::string_view name) {
    const std::lock_guard lock{mutex_};
    return lossy_ && name.starts_with(kind_) && dice_() % 3 == 0;
  }
  void lossy(bool on) {
    const std::lock_guard lock{mutex_};
    lossy_ = on;
  }

private:
  std::string kind_;
  std::mutex mutex_;
  std::mt19937_64 dice_ = dice_for(5);
  bool lossy_ = false;
};

// B-05 at ingest, S3.8: a lost answer to COMMIT is told as unknown, and the
// repeat finds what was committed.
TEST(LostCommit, OfAnIngestIsUnknownAndItsRepeatIsTheSameEvent) {
  const int events = long_run() ? 1'000 : 40;
  some_answers rule{"ingest"};
  fault_bench bench{[](const arrival&) { return answer(204); }};
  postgres_proxy between{bench.here().url(), std::ref(rule)};
  bench.start("", {{"STORAGE__URL", between.url()}});
  bench.endpoint();
  int unknown = 0;
  for (const bool faulty : {false, true}) {
    rule.lossy(faulty);
    for (int i = 0; i < events; ++i) {
      const auto key = fmt::format("{}{}", faulty ? "lossy" : "twin", i);
      const auto status = bench.send(key);
      const auto expected =
          faulty ? status == 201 || status == 503 : status == 201;
      EXPECT_TRUE(expected) << status;
      if (status == 503) {
        ++unknown;
        EXPECT_TRUE(bench.insist(key));
      }
    }
  }
  EXPECT_GE(unknown, between.lost() / 2);
  EXPECT_GT(between.lost(), 0);
  rule.lossy(false);
  ASSERT_TRUE(bench.drained());
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  EXPECT_EQ(number_of(verdicts, "I2", "U1"), 0);
  put_on_record("B-05", "answer to the COMMIT of an event lost", between.lost(),
                verdicts);
  fmt::print("B-05 ingest: {} events, {} answers lost, {} told as unknown, "
             "wrong answers {}\n",
             2 * events, between.lost(), unknown,
             number_of(verdicts, "I1", "lost")
                 + number_of(verdicts, "I1", "double"));
}

// B-05 at the mark, G6: an outcome whose commit is unknown is written again
// onto nothing; the receiver never hears of it.
TEST(LostCommit, OfAnOutcomeIsWrittenAgainAndSentNoMore) {
  const int events = long_run() ? 1'000 : 60;
  some_answers rule{"settle"};
  fault_bench bench{[](const arrival& got) {
    return answer(got.find("X-Postrider-Attempt") == "0"
                          && std::stoi(got.find("X-Postrider-Sequence")) % 4
                                 == 0
                      ? 503
                      : 204);
  }};
  postgres_proxy between{bench.here().url(), std::ref(rule)};
  bench.start("", {{"STORAGE__URL", between.url()}});
  bench.endpoint(R"("retry":"50ms 50ms")");
  for (const bool faulty : {false, true}) {
    rule.lossy(faulty);
    for (int i = 0; i < events; ++i)
      EXPECT_EQ(bench.send(fmt::format("{}{}", faulty ? "lossy" : "twin", i),
                           fmt::format("s{}", i % 8)),
                201);
    EXPECT_TRUE(bench.drained()) << bench.node().log();
  }
  EXPECT_GT(between.lost(), 0);
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  EXPECT_EQ(number_of(verdicts, "I2", "U1"), 0) << bench.said();
  EXPECT_EQ(number_of(verdicts, "I2", "U4"), 0) << bench.said();
  put_on_record("B-05", "answer to the COMMIT of outcomes lost", between.lost(),
                verdicts);
  fmt::print("B-05 outcome: {} deliveries, {} answers lost, 0 duplicates\n",
             2 * events, between.lost());
}

} // namespace
} // namespace postrider::testing
