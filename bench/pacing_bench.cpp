#include "core/pacing.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;

/// A token that is there.
void take_a_token(benchmark::State& state) {
  token_bucket::time_point now{};
  token_bucket bucket{10'000, now};
  for (auto step : state)
    benchmark::DoNotOptimize(bucket.take(1, now += 100us));
}
BENCHMARK(take_a_token);

/// One that is not, and when it will be.
void wait_for_a_token(benchmark::State& state) {
  token_bucket::time_point now{};
  token_bucket bucket{1, now};
  bucket.take(1, now);
  for (auto step : state) {
    benchmark::DoNotOptimize(bucket.take(1, now));
    benchmark::DoNotOptimize(bucket.next(now));
  }
}
BENCHMARK(wait_for_a_token);

/// An endpoint with a rate of its own that has just come back: the slower of
/// both counts, and the ramp rises on the way.
void pace_a_return(benchmark::State& state) {
  pacing::time_point now{};
  pacing pace;
  pace.limit(10'000, now);
  pace.rise(10, now);
  std::int64_t steps = 0;
  for (auto step : state) {
    // Before it has ended.
    if (++steps % 1'000 == 0)
      pace.rise(10, now);
    benchmark::DoNotOptimize(pace.take(32, now += 1ms));
    benchmark::DoNotOptimize(pace.next(now));
  }
}
BENCHMARK(pace_a_return);

} // namespace
} // namespace postrider
