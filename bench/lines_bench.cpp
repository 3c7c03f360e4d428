#include "bench/hot_rules.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// The way of one delivery through the lines of a partition, for so many
/// endpoints that have one waiting at a time.
void pass_through_lines(benchmark::State& state) {
  bench::lines_round round{state.range(0)};
  for (auto step : state)
    benchmark::DoNotOptimize(round());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(pass_through_lines)->Arg(1)->Arg(256)->Arg(1024);

/// The same with a backlog behind it: of 16 that wait in a line one goes and
/// one comes.
void pass_a_backlog(benchmark::State& state) {
  lines all;
  std::int64_t id = 0;
  const auto add_each = [&] {
    for (std::int64_t i = 0; i < bench::endpoints; ++i)
      all.add(bench::row(++id));
  };
  for (std::int64_t endpoint = 1; endpoint <= bench::endpoints; ++endpoint)
    all.configure(endpoint, ordering::fifo, 32);
  for (int deep = 0; deep < 16; ++deep)
    add_each();
  std::vector<delivery> taken;
  for (auto step : state) {
    taken.clear();
    while (const auto next = all.take())
      taken.push_back(*next);
    for (const auto& one : taken)
      all.finish(one.endpoint, one.stream);
    add_each();
  }
  state.SetItemsProcessed(state.iterations() * bench::endpoints);
}
BENCHMARK(pass_a_backlog);

/// A retry that is due goes before the 16 that came after it.
void put_a_retry_in_front(benchmark::State& state) {
  lines all;
  all.configure(1, ordering::fifo, 32);
  auto row = bench::row(1);
  row.endpoint = 1;
  for (row.id = 2; row.id <= 17; ++row.id)
    all.add(row);
  for (auto step : state) {
    row.id = 1;
    all.add(row);
    benchmark::DoNotOptimize(all.take());
    all.finish(1, 0);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(put_a_retry_in_front);

} // namespace
} // namespace postrider
