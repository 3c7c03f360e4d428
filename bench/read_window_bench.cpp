#include "core/read_window.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// Reading ahead in batches of 500 and settling each batch.
void read_and_settle(benchmark::State& state) {
  constexpr std::int64_t batch = 500;
  read_window window{read_limits{}};
  std::int64_t id = 0;
  for (auto step : state) {
    std::vector<delivery> rows(batch);
    for (auto& row : rows) {
      row.id = ++id;
      row.endpoint = id % 256;
      row.size = 1024;
    }
    window.asking();
    window.saw({1, {}}, id);
    const auto range = window.next();
    if (!range) {
      state.SkipWithError("the window has no room");
      break;
    }
    for (const auto& row : window.take(*range, rows))
      window.leave(row.id);
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(read_and_settle);

} // namespace
} // namespace postrider
