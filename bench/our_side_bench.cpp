#include "core/our_side.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;

/// Of each attempt: whether it may begin, and whether its result is to be laid
/// on this node. All partitions ask the same one.
void ask_about_an_attempt(benchmark::State& state) {
  static our_side ours;
  attempt_result result;
  result.status = 204;
  our_side::time_point now{};
  for (auto step : state) {
    now += 10us;
    benchmark::DoNotOptimize(ours.closed(now));
    benchmark::DoNotOptimize(ours.admit(now));
    benchmark::DoNotOptimize(ours.is_ours(1, result, now));
  }
}
BENCHMARK(ask_about_an_attempt);
BENCHMARK(ask_about_an_attempt)->Threads(2)->UseRealTime();

/// A receiver that does not answer is a suspicion, which takes a lock.
void ask_about_a_timeout(benchmark::State& state) {
  our_side ours;
  attempt_result good;
  good.status = 204;
  attempt_result bad;
  bad.error = attempt_error::connect_timeout;
  our_side::time_point now{};
  std::int64_t endpoint = 0;
  for (auto step : state) {
    ours.is_ours(1, good, now += 10ms);
    benchmark::DoNotOptimize(ours.is_ours(++endpoint % 256, bad, now));
  }
}
BENCHMARK(ask_about_a_timeout);

} // namespace
} // namespace postrider
