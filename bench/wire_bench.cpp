#include "bench/hot_rules.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

void make_head(benchmark::State& state, const endpoint& to) {
  bench::head_round round{to};
  for (auto step : state)
    benchmark::DoNotOptimize(round());
}

/// All headers of one attempt over 1 KiB, the signature included.
void head_of_an_attempt(benchmark::State& state) {
  make_head(state, bench::receiver());
}
BENCHMARK(head_of_an_attempt);

/// While a secret is being replaced there are two signatures.
void head_with_two_secrets(benchmark::State& state) {
  auto to = bench::receiver();
  to.keys.push_back(*signing_key::from_bytes(std::string(32, 'o')));
  make_head(state, to);
}
BENCHMARK(head_with_two_secrets);

/// What is left without the signature: ids and lines.
void head_without_secrets(benchmark::State& state) {
  auto to = bench::receiver();
  to.keys.clear();
  make_head(state, to);
}
BENCHMARK(head_without_secrets);

/// With what the customer adds.
void head_with_own_headers(benchmark::State& state) {
  auto to = bench::receiver();
  to.keys.clear();
  to.headers = {{"Authorization", "Bearer 5f2c9a7d1e3b4860"},
                {"X-Environment", "production"},
                {"X-Source", "orders"},
                {"Accept", "application/json"}};
  make_head(state, to);
}
BENCHMARK(head_with_own_headers);

} // namespace
} // namespace postrider
