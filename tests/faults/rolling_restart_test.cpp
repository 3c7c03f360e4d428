#include "tests/faults/answers.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/fleet.hpp"
#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds delay = 500ms;

std::map<std::string, std::string> politely() {
  return {{"HTTP__TIMEOUT", "4s"},
          {"DELIVERY__LEASE", "5s"},
          {"SHUTDOWN__DELAY", "500ms"}};
}

/// Producers that call once for each event and count what was not accepted.
class once_each {
public:
  once_each(fault_bench& bench, int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this, &bench, i] {
        for (int n = 0; !done_; ++n) {
          const auto from = ledger_now();
          const auto status =
              bench.send(fmt::format("r{}-{}", i, n), fmt::format("s{}", i));
          const std::lock_guard lock{mutex_};
          took_.push_back((ledger_now() - from) / 1'000);
          if (status != 201)
            failed_ += fmt::format("{} ", status);
        }
      });
  }
  ~once_each() { stop(); }

  void stop() {
    done_ = true;
    threads_.clear();
  }
  std::string failed() const { return failed_; }
  std::size_t calls() const { return took_.size(); }
  std::int64_t p99() {
    std::ranges::sort(took_);
    return took_.empty() ? 0 : took_[took_.size() * 99 / 100];
  }

private:
  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::vector<std::int64_t> took_;
  std::string failed_; ///< the statuses
  std::vector<std::jthread> threads_;
};

// three nodes behind one address are started anew one after the other.
TEST(RollingRestart, OfThreeNodesFailsNoCallAndRepeatsNothing) {
  fault_bench bench{after_a_moment<30>};
  fleet nodes{bench, 3, politely()};
  for (int i = 0; i < 6; ++i)
    bench.endpoint();
  once_each load{bench, 3};
  const int rounds = long_run() ? 20 : 1;
  std::vector<std::int64_t> handed;
  for (int i = 0; i < rounds * 3; ++i) {
    const auto which = static_cast<std::size_t>(i % 3);
    auto& process = *nodes[which].process;
    process.signal(SIGTERM);
    const auto took = nodes.given_up(nodes[which].name) - delay;
    handed.push_back(std::max<std::int64_t>(0, took.count()));
    EXPECT_LE(took, 2s) << "work goes on elsewhere";
    EXPECT_EQ(process.wait(), 0) << process.log();
    nodes.rejoin(which);
    ASSERT_TRUE(nodes.shared()) << bench.node().log();
  }
  load.stop();
  EXPECT_EQ(load.failed(), "") << "of " << load.calls();
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  const auto record = put_on_record("A-07", "rolling restart of three nodes",
                                    rounds, verdicts, handed);
  EXPECT_EQ(record.unavoidable, 0) << bench.said();
  fmt::print("A-07: {} calls, none failed, p99 {} ms\n", load.calls(),
             load.p99());
}

} // namespace
} // namespace postrider::testing
