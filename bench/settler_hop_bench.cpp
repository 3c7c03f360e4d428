#include "actors/settler.hpp"
#include "bench/actor_ends.hpp"
#include "bench/actor_stage.hpp"
#include "tests/actors/fakes.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

store::settlement outcome(std::int64_t id) {
  store::settlement out;
  out.delivery = id;
  out.partition = bench::row(id).partition;
  out.endpoint = bench::row(id).endpoint;
  out.event = bench::event_id(id);
  out.status = 204;
  return out;
}

/// From the box of outcomes over the settler and its store to the reader: a
/// batch of 500.
void from_outcome_to_reader(benchmark::State& state) {
  constexpr std::int64_t batch = 500;
  bench::actor_stage stage;
  std::size_t left = 0;
  actors::settler_options options;
  options.log = testing::no_log();
  options.counters = std::make_shared<actors::counters>();
  const auto box = options.box;
  box->read_by(stage.keep(stage.system().spawn(bench::reader_end, &left)));
  stage.keep(actors::spawn_settler(
      stage.system(), options,
      stage.keep(stage.system().spawn(bench::outcome_sink))));
  stage.run();
  std::int64_t id = 0;
  for (auto step : state) {
    for (std::int64_t i = 0; i < batch; ++i)
      if (const auto whom = box->put(outcome(++id)))
        stage.tell(*whom, atom::settle_v);
    stage.pass(std::chrono::milliseconds{10});
    stage.run();
  }
  if (static_cast<std::int64_t>(left) < id - batch)
    state.SkipWithError("the settler has stopped");
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(from_outcome_to_reader);

/// One outcome put into the box, by so many threads, and taken by one of them
/// in batches: what partitions share.
void put_an_outcome(benchmark::State& state) {
  static actors::outcome_box box;
  const auto one = outcome(1);
  std::int64_t count = 0;
  for (auto step : state) {
    box.put(one);
    if (state.thread_index() == 0 && ++count % 500 == 0) {
      benchmark::DoNotOptimize(box.take(1'000'000));
      box.done(std::chrono::steady_clock::now());
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(put_an_outcome);
BENCHMARK(put_an_outcome)->Threads(2)->UseRealTime();

} // namespace
} // namespace postrider
