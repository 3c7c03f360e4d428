#include "core/signature.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace postrider {
namespace {

/// One `v1` signature over a body of so many bytes, with a key that was used
/// before.
void sign(benchmark::State& state) {
  const auto key = *signing_key::from_bytes(std::string(32, 'k'));
  const std::string body(static_cast<std::size_t>(state.range(0)), 'b');
  for (auto step : state)
    benchmark::DoNotOptimize(
        key.sign("dlv_01jd0000000000000000000000", {}, body));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sign)->Arg(64)->Arg(1024)->Arg(64 * 1024);

} // namespace
} // namespace postrider
