#include "core/fair_share.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// What each heartbeat of each of ten nodes asks.
void share_of_each_node(benchmark::State& state) {
  for (auto step : state)
    for (int rank = 0; rank < 10; ++rank)
      benchmark::DoNotOptimize(fair_share_change(256, 10, rank, 25));
}
BENCHMARK(share_of_each_node);

} // namespace
} // namespace postrider
