#include "bench/samples.hpp"
#include "core/read_window.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// Endpoints with a backlog are read by themselves: which of them may be, how
/// many rows of each, the rows, and their end. So many endpoints lag behind.
void read_shares(benchmark::State& state) {
  const auto lagging = state.range(0);
  constexpr std::int64_t deep = 64;
  read_window window{read_limits{}};
  std::int64_t id = 0;
  std::vector<delivery> rows;
  for (std::int64_t i = 0; i < lagging * deep; ++i) {
    rows.push_back(bench::row(++id));
    rows.back().endpoint = 1 + i % lagging;
  }
  window.asking();
  window.saw({1, {}, 0}, id);
  // The first read fills their shares, so that the rest of it is left out.
  std::vector<std::int64_t> first;
  while (const auto range = window.next()) {
    const auto from = static_cast<std::size_t>(range->after);
    const auto many = std::min<std::size_t>(
        static_cast<std::size_t>(range->limit),
        static_cast<std::size_t>(range->upto - range->after));
    for (const auto& one :
         window.take(*range, std::span{rows}.subspan(from, many)))
      first.push_back(one.id);
  }
  for (const auto one : first)
    window.leave(one);
  std::int64_t read = 0;
  for (auto step : state) {
    window.asking();
    const auto asked = window.next_shares();
    rows.clear();
    // Each has as many more as were asked for, so none ever catches up.
    for (const auto& one : asked)
      for (std::int64_t i = 1; i <= one.limit; ++i) {
        rows.push_back(bench::row(one.after + i));
        rows.back().endpoint = one.endpoint;
        rows.back().partition = one.partition;
      }
    const auto taken = window.take_shares(asked, rows);
    for (const auto& one : taken)
      window.leave(one.id);
    read += std::ssize(taken);
  }
  if (read == 0)
    state.SkipWithError("nothing was read");
  state.SetItemsProcessed(read);
}
BENCHMARK(read_shares)->Arg(1)->Arg(64)->Arg(256);

/// What the ordinary read does with a backlog of one endpoint between rows of
/// others: it steps over it.
void step_over_a_backlog(benchmark::State& state) {
  constexpr std::int64_t batch = 500;
  read_window window{read_limits{}};
  std::int64_t id = 0;
  for (auto step : state) {
    std::vector<delivery> rows;
    rows.reserve(batch);
    for (std::int64_t i = 0; i < batch; ++i) {
      rows.push_back(bench::row(++id));
      if (i % 10 != 0)
        rows.back().endpoint = 1;
    }
    window.asking();
    window.saw({1, {}, 0}, id);
    const auto range = window.next();
    if (!range) {
      state.SkipWithError("the window has no room");
      break;
    }
    auto taken = window.take(*range, rows);
    while (const auto late = window.next_late())
      window.take_late(*late, {});
    for (const auto& one : window.in_order(std::move(taken)))
      if (one.endpoint != 1)
        window.leave(one.id);
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(step_over_a_backlog);

} // namespace
} // namespace postrider
