#include "core/lines.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// The way of one delivery through the lines of a partition: added, taken,
/// finished; so many endpoints have one waiting at a time.
void pass_through_lines(benchmark::State& state) {
  lines all;
  const auto endpoints = state.range(0);
  std::int64_t id = 0;
  for (auto step : state) {
    for (std::int64_t endpoint = 1; endpoint <= endpoints; ++endpoint) {
      if (!all.knows(endpoint))
        all.configure(endpoint, ordering::fifo, 32);
      delivery row;
      row.id = ++id;
      row.endpoint = endpoint;
      all.add(row);
    }
    while (const auto next = all.take())
      all.finish(next->endpoint, next->stream);
  }
  state.SetItemsProcessed(state.iterations() * endpoints);
}
BENCHMARK(pass_through_lines)->Arg(1)->Arg(64)->Arg(1024);

} // namespace
} // namespace postrider
