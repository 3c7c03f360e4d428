#include "actors/breaker.hpp"
#include "bench/actor_stage.hpp"
#include "bench/samples.hpp"
#include "tests/actors/fakes.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

constexpr int batch = 100;

/// One breaker and its driver, which hears so many words.
struct incident {
  explicit incident(endpoint of, health_policy policy) {
    testing::driver_ears ears;
    ears.permit = [this](auto, const actors::permit&) { ++words; };
    driver = stage.keep(
        stage.system().spawn(testing::listening_driver, std::move(ears)));
    breaker = stage.keep(actors::spawn_breaker(
        stage.system(),
        {{7, 3},
         std::move(policy),
         testing::no_log(),
         std::make_shared<actors::counters>()},
        std::make_shared<const endpoint>(std::move(of)), driver,
        stage.keep(stage.system().spawn(testing::fake_health_store, &world))));
    stage.run();
  }

  bench::actor_stage stage;
  testing::health_world world;
  std::int64_t words = 0;
  actors::partition_actor driver;
  actors::breaker_actor breaker;
};

/// An attempt has failed: the driver tells its breaker and gets its word.
void report_a_failure(benchmark::State& state) {
  auto policy = *find_health_policy("default");
  // However many fail, it is not degraded.
  policy.degraded_after = 1 << 30;
  policy.failure_ratio = 2;
  incident one{bench::receiver(), policy};
  for (auto step : state) {
    one.stage.pass(std::chrono::milliseconds{1});
    for (int i = 0; i < batch; ++i)
      one.stage.tell(one.breaker, atom::report_v,
                     actors::health_report{{health_effect::transient}, 3, {}});
    one.stage.run();
  }
  if (one.words < state.iterations() * batch)
    state.SkipWithError("the breaker has not answered");
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(report_a_failure);

/// The driver of an endpoint with a rate asks for tokens and gets some.
void ask_for_tokens(benchmark::State& state) {
  auto limited = bench::receiver();
  limited.rate = 10'000;
  incident one{limited, *find_health_policy("default")};
  for (auto step : state)
    for (int i = 0; i < batch; ++i) {
      one.stage.pass(std::chrono::milliseconds{1});
      one.stage.tell(one.breaker, atom::want_v, 5);
      one.stage.run();
    }
  if (one.words < state.iterations() * batch)
    state.SkipWithError("the breaker has not answered");
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(ask_for_tokens);

} // namespace
} // namespace postrider
