#include "bench/hot_rules.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// Reading ahead in batches of 500 and settling each batch.
void read_and_settle(benchmark::State& state) {
  bench::read_round round;
  for (auto step : state)
    if (round() == 0)
      state.SkipWithError("the window has no room");
  state.SetItemsProcessed(state.iterations() * bench::read_round::batch);
}
BENCHMARK(read_and_settle);

/// The same with nine tenants: what each may have is bounded too.
void read_and_settle_for_tenants(benchmark::State& state) {
  bench::read_round round{9};
  for (auto step : state)
    if (round() == 0)
      state.SkipWithError("the window has no room");
  state.SetItemsProcessed(state.iterations() * bench::read_round::batch);
}
BENCHMARK(read_and_settle_for_tenants);

/// Retries that are due, 500 in an answer, and their end.
void read_what_is_due(benchmark::State& state) {
  constexpr std::int64_t batch = 500;
  read_window window{read_limits{}};
  std::int64_t id = 0;
  std::int64_t now = 1'796'000'000'000'000;
  for (auto step : state) {
    std::vector<delivery> rows;
    rows.reserve(batch);
    for (std::int64_t i = 0; i < batch; ++i) {
      rows.push_back(bench::row(++id));
      rows.back().attempts = 1;
      rows.back().due = ++now;
    }
    window.asking();
    const auto taken = window.take_due(rows, now, now);
    if (taken.empty())
      state.SkipWithError("the window has no room");
    for (const auto& one : taken)
      window.leave(one.id);
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(read_what_is_due);

/// What a commit of this node has made, 32 deliveries, stepped over and settled.
void step_over_what_is_handed(benchmark::State& state) {
  constexpr std::int64_t batch = 32;
  read_window window{read_limits{}};
  window.restart(0);
  window.saw({}, 0);
  window.next_late();
  handover fresh;
  std::int64_t id = 0;
  for (auto step : state) {
    std::vector<fresh_delivery> made;
    made.reserve(batch);
    for (std::int64_t i = 0; i < batch; ++i)
      made.push_back({bench::row(++id), true});
    fresh.add(made);
    const auto taken = window.take_handed(fresh);
    if (taken.size() != batch)
      state.SkipWithError("it was not taken");
    window.asking();
    for (const auto& one : taken)
      window.leave(one.id);
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(step_over_what_is_handed);

} // namespace
} // namespace postrider
