#include "bench/hot_rules.hpp"
#include "core/retry.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;

void plan(benchmark::State& state, const bench::plan_round& round) {
  for (auto step : state)
    benchmark::DoNotOptimize(round());
}

/// What follows a 204: the way of nearly every delivery.
void plan_after_success(benchmark::State& state) {
  plan(state, bench::plan_round{204});
}
BENCHMARK(plan_after_success);

/// What follows a 500: a wait with its jitter.
void plan_after_failure(benchmark::State& state) {
  plan(state, bench::plan_round{500});
}
BENCHMARK(plan_after_failure);

/// What follows a 429 with a date to be read.
void plan_after_retry_after(benchmark::State& state) {
  bench::plan_round round{429};
  round.add({"retry-after", "Sun, 29 Nov 2026 20:00:00 GMT"});
  plan(state, round);
}
BENCHMARK(plan_after_retry_after);

/// Which result is whose fault, when the endpoint has an expression of its own.
void classify_by_own_statuses(benchmark::State& state) {
  const auto own = std::get<status_set>(parse_retry_statuses("408,429,5xx"));
  attempt_result result;
  result.status = 503;
  for (auto step : state)
    benchmark::DoNotOptimize(classify(result, &own));
}
BENCHMARK(classify_by_own_statuses);

void next_retry(benchmark::State& state) {
  const auto& policy = *find_retry_policy("default");
  for (auto step : state)
    benchmark::DoNotOptimize(next_wait(policy, 3, 0.5));
}
BENCHMARK(next_retry);

void read_retry_policy(benchmark::State& state) {
  for (auto step : state)
    benchmark::DoNotOptimize(parse_retry_policy("5s 30s 5m 30m 2h 5h 10h"));
}
BENCHMARK(read_retry_policy);

} // namespace
} // namespace postrider
