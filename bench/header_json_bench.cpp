#include "store/header_json.hpp"

#include <benchmark/benchmark.h>

namespace postrider::store {
namespace {

const std::vector<header> own{{"X-Environment", "production"},
                              {"X-Source", "orders"},
                              {"X-Request-Id", "7f3a1c5e"}};

/// The headers of an event on their way into the database, and out of it.
void write_headers(benchmark::State& state) {
  for (auto step : state)
    benchmark::DoNotOptimize(format_headers(own));
}
BENCHMARK(write_headers);

void read_headers(benchmark::State& state) {
  const auto text = format_headers(own);
  for (auto step : state)
    benchmark::DoNotOptimize(parse_whole_headers(text));
}
BENCHMARK(read_headers);

} // namespace
} // namespace postrider::store
