#include "bench/hot_rules.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace postrider {
namespace {

/// One `v1` signature over a body of so many bytes, with a key that was used
/// before.
void sign(benchmark::State& state) {
  const bench::sign_round round{static_cast<std::size_t>(state.range(0))};
  for (auto step : state)
    benchmark::DoNotOptimize(round());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sign)->Arg(64)->Arg(1024)->Arg(64 * 1024);

/// By turns with the keys of so many endpoints: those that were not used of
/// late have to be set up anew.
void sign_for_endpoints(benchmark::State& state) {
  std::vector<signing_key> keys;
  for (std::int64_t i = 0; i < state.range(0); ++i)
    keys.push_back(*signing_key::from_bytes(std::string(28, 'k')
                                            + std::to_string(1'000 + i)));
  const auto body = bench::payload();
  std::size_t next = 0;
  for (auto step : state)
    benchmark::DoNotOptimize(keys[next++ % keys.size()].sign(
        "dlv_01jd0000000000000000000000", {}, body));
}
BENCHMARK(sign_for_endpoints)->Arg(256)->Arg(4096);

/// What a receiver does.
void verify(benchmark::State& state) {
  const auto key = *signing_key::from_bytes(std::string(32, 'k'));
  const auto body = bench::payload();
  const std::string id = "dlv_01jd0000000000000000000000";
  const std::chrono::sys_seconds now{std::chrono::seconds{1'796'000'000}};
  const auto signature = key.sign(id, now, body);
  for (auto step : state)
    benchmark::DoNotOptimize(verify_signature(
        key, id, "1796000000", signature, body, now, std::chrono::minutes{5}));
}
BENCHMARK(verify);

} // namespace
} // namespace postrider
