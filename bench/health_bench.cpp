#include "core/health.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;

/// What a breaker does with the report of one attempt that said this, a
/// thousand of them in a second.
void judge(benchmark::State& state, health_effect effect) {
  auto policy = *find_health_policy("default");
  // However many fail, it is judged as one that is healthy.
  policy.degraded_after = 1 << 30;
  policy.failure_ratio = 2;
  health of;
  failure_window window;
  health::time_point now{};
  const health_sign sign{effect};
  for (auto step : state) {
    now += 1ms;
    const auto reached =
        window.add(effect == health_effect::transient, policy, now);
    of = after_attempt(of, policy, sign, reached, now);
    benchmark::DoNotOptimize(of);
  }
}

void judge_a_success(benchmark::State& state) {
  judge(state, health_effect::clears);
}
BENCHMARK(judge_a_success);

void judge_a_failure(benchmark::State& state) {
  judge(state, health_effect::transient);
}
BENCHMARK(judge_a_failure);

/// From healthy to degraded by five failures, and back by its trial.
void judge_an_incident(benchmark::State& state) {
  const auto& policy = *find_health_policy("default");
  health::time_point now{};
  for (auto step : state) {
    health of;
    failure_window window;
    for (int failures = 0; failures < 5; ++failures)
      of = after_attempt(of, policy, {health_effect::transient},
                         window.add(true, policy, now += 1ms), now);
    if (!holds(of.state) || !trial_due(of, now += 1h))
      state.SkipWithError("it is not degraded");
    of = after_attempt(of, policy, {health_effect::clears, true, true}, false,
                       now);
    benchmark::DoNotOptimize(of);
  }
}
BENCHMARK(judge_an_incident);

} // namespace
} // namespace postrider
