#include "actors/ingester.hpp"
#include "bench/actor_ends.hpp"
#include "bench/actor_stage.hpp"
#include "tests/actors/fakes.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// From so many calls that come together over the ingester and a store to
/// their answers.
void ingest_calls(benchmark::State& state) {
  bench::actor_stage stage;
  actors::ingester_options options;
  options.log = testing::no_log();
  options.counters = std::make_shared<actors::counters>();
  const auto ingester = stage.keep(actors::spawn_ingester(
      stage.system(), options,
      {stage.keep(stage.system().spawn(bench::event_sink))},
      stage.keep(stage.system().spawn(bench::root_end))));
  new_event event;
  event.tenant = "acme";
  event.type = "order.paid";
  event.payload = bench::payload();
  std::int64_t answered = 0;
  for (auto step : state) {
    for (std::int64_t i = 0; i < state.range(0); ++i)
      stage.tell(ingester, atom::ingest_v,
                 std::make_shared<actors::ingest_call>(
                     std::vector{event}, [&](auto, const auto& results) {
                       answered += std::ssize(results);
                     }));
    stage.run();
  }
  if (answered != state.iterations() * state.range(0))
    state.SkipWithError("not every call was answered");
  state.SetItemsProcessed(answered);
}
BENCHMARK(ingest_calls)->Arg(1)->Arg(64);

} // namespace
} // namespace postrider
