#include "bench/samples.hpp"
#include "core/public_id.hpp"

#include <benchmark/benchmark.h>

#include <array>

namespace postrider {
namespace {

/// The `webhook-id` of an attempt.
void write_delivery_id(benchmark::State& state) {
  std::int64_t id = 0;
  for (auto step : state)
    benchmark::DoNotOptimize(
        delivery_public_id({++id, 17, salt_of(bench::event_id(id))}));
}
BENCHMARK(write_delivery_id);

/// The event's, as it stands in a header and in the answer to a producer.
void write_event_id(benchmark::State& state) {
  std::int64_t id = 0;
  for (auto step : state)
    benchmark::DoNotOptimize(event_public_id(bench::event_id(++id)));
}
BENCHMARK(write_event_id);

void read_delivery_id(benchmark::State& state) {
  const auto text = delivery_public_id({123'456, 17, 0x0123'4567'89ab'cdef});
  for (auto step : state)
    benchmark::DoNotOptimize(parse_delivery_id(text));
}
BENCHMARK(read_delivery_id);

void read_event_id(benchmark::State& state) {
  const auto text = event_public_id(bench::event_id(123'456));
  for (auto step : state)
    benchmark::DoNotOptimize(parse_event_id(text));
}
BENCHMARK(read_event_id);

void make_event_id(benchmark::State& state) {
  const std::array<std::uint8_t, 10> random{};
  std::chrono::sys_time<std::chrono::milliseconds> now{};
  for (auto step : state)
    benchmark::DoNotOptimize(
        make_uuid_v7(now += std::chrono::milliseconds{1}, random));
}
BENCHMARK(make_event_id);

} // namespace
} // namespace postrider
