#include "core/signature.hpp"
#include "core/wire.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

namespace postrider {
namespace {

/// All headers of one attempt over a body of so many bytes, the signature
/// included.
void head_of_an_attempt(benchmark::State& state) {
  endpoint to;
  to.keys = {*signing_key::from_bytes(std::string(32, 'k'))};
  event_content event;
  event.content_type = "application/json";
  event.payload = std::make_shared<const std::string>(
      static_cast<std::size_t>(state.range(0)), 'b');
  delivery row;
  row.id = 123'456;
  row.partition = 17;
  const wire_options options;
  for (auto step : state)
    benchmark::DoNotOptimize(
        attempt_headers(to, event, row, std::chrono::sys_seconds{}, options));
}
BENCHMARK(head_of_an_attempt)->Arg(1024);

/// What a receiver does.
void verify(benchmark::State& state) {
  const auto key = *signing_key::from_bytes(std::string(32, 'k'));
  const std::string body(1024, 'b');
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
