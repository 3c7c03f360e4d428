#include "actors/meters.hpp"
#include "actors/pulse.hpp"
#include "core/uuid.hpp"
#include "net/client_meters.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstdint>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

void handle(actors::actor_pulse& of) {
  of.received.add();
  const auto from = steady::now();
  of.since.store(1, std::memory_order_relaxed);
  of.since.store(0, std::memory_order_relaxed);
  of.spent.observe(steady::now() - from);
  of.handled.add();
}

/// All that is recorded for one delivery that succeeds at once: budget 1 us.
/// Three messages are its own; the rest of its way goes in batches.
void record_a_delivery(benchmark::State& state) {
  static actors::engine_meters engine;
  static net::http_client_meters client;
  static actors::actor_pulse pulses[3];
  const auto wall = std::chrono::system_clock::now();
  store::settlement outcome;
  outcome.event =
      make_uuid_v7(std::chrono::floor<std::chrono::milliseconds>(wall - 20ms),
                   std::array<std::uint8_t, 10>{});
  outcome.status = 204;
  outcome.duration = 7ms;
  delivery row;
  row.event = outcome.event;
  const std::vector<delivery> read{row};
  auto& partition = engine.partition_of(7);
  for (auto step : state) {
    engine.ingest.payload.observe(std::uint64_t{900});
    engine.read.claimed(read, std::chrono::system_clock::now());
    const auto began = steady::now();
    partition.signing.observe(steady::now() - began);
    partition.signed_v1.add();
    client.reused.add();
    client.first_byte.observe(6ms);
    for (auto& one : pulses)
      handle(one);
    engine.settle.record(outcome, true, wall);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(record_a_delivery);

void read_the_clock(benchmark::State& state) {
  for (auto step : state)
    benchmark::DoNotOptimize(steady::now());
}
BENCHMARK(read_the_clock);

void observe_a_time(benchmark::State& state) {
  quick_times of;
  for (auto step : state)
    of.observe(7ms);
}
BENCHMARK(observe_a_time);

} // namespace
} // namespace postrider
