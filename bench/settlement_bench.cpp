#include "core/outcome.hpp"
#include "core/retry.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;

void plan(benchmark::State& state, const attempt_result& result) {
  const auto& policy = *find_retry_policy("default");
  for (auto step : state)
    benchmark::DoNotOptimize(
        plan_settlement(result, policy, 1, 24h,
                        std::chrono::sys_seconds{1'796'000'000s}, 0.5, 1h));
}

/// What follows a 204: the way of nearly every delivery.
void plan_after_success(benchmark::State& state) {
  attempt_result result;
  result.status = 204;
  plan(state, result);
}
BENCHMARK(plan_after_success);

/// What follows a 500: a wait with its jitter.
void plan_after_failure(benchmark::State& state) {
  attempt_result result;
  result.status = 500;
  plan(state, result);
}
BENCHMARK(plan_after_failure);

/// What follows a 429 with a date to be read.
void plan_after_retry_after(benchmark::State& state) {
  attempt_result result;
  result.status = 429;
  result.headers = {{"server", "x"},
                    {"retry-after", "Sun, 29 Nov 2026 20:00:00 GMT"}};
  plan(state, result);
}
BENCHMARK(plan_after_retry_after);

void read_retry_policy(benchmark::State& state) {
  for (auto step : state)
    benchmark::DoNotOptimize(parse_retry_policy("5s 30s 5m 30m 2h 5h 10h"));
}
BENCHMARK(read_retry_policy);

} // namespace
} // namespace postrider
