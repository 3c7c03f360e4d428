#include "bench/samples.hpp"
#include "core/read_window.hpp"

#include <benchmark/benchmark.h>

#include <vector>

namespace postrider {
namespace {

/// What a read tells of running transactions, so many at a time: each read
/// finds that one has ended and another has begun.
void watch_transactions(benchmark::State& state) {
  const auto many = static_cast<std::uint64_t>(state.range(0));
  late_watch watch;
  std::vector<std::uint64_t> running;
  std::uint64_t next = 1;
  std::int64_t cursor = 0;
  for (; next <= many; ++next)
    running.push_back(next);
  for (auto step : state) {
    running.erase(running.begin());
    running.push_back(next++);
    cursor += 10;
    benchmark::DoNotOptimize(watch.saw({next, running, next}, cursor, cursor));
    benchmark::DoNotOptimize(watch.take());
  }
}
BENCHMARK(watch_transactions)->Arg(1)->Arg(16)->Arg(256);

/// A transaction commits behind the cursor: the range behind it is read again,
/// and of the 500 rows that are found there one is new.
void read_late_rows(benchmark::State& state) {
  constexpr std::int64_t batch = 500;
  read_window window{read_limits{}};
  std::int64_t id = 0;
  std::uint64_t writer = 1;
  std::vector<delivery> rows;
  for (auto step : state) {
    rows.clear();
    for (std::int64_t i = 0; i < batch; ++i)
      rows.push_back(bench::row(++id));
    // The first of them is not to be seen yet.
    window.asking();
    window.saw({writer + 1, std::vector{writer}, writer + 1}, id);
    const auto range = window.next();
    if (!range) {
      state.SkipWithError("the window has no room");
      break;
    }
    window.take(*range, std::span{rows}.subspan(1));
    window.saw({writer + 1, {}, writer + 1}, id);
    const auto late = window.next_late();
    if (!late || window.take_late(*late, rows).size() != 1) {
      state.SkipWithError("no late row was found");
      break;
    }
    ++writer;
    for (const auto& one : rows)
      window.leave(one.id);
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(read_late_rows);

} // namespace
} // namespace postrider
