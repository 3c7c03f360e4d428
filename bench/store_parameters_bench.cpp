#include "bench/samples.hpp"
#include "store/ingest_parameters.hpp"
#include "store/settle_parameters.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace postrider::store {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

std::vector<settlement> outcomes(std::int64_t many, steady::time_point now) {
  std::vector<settlement> out;
  for (std::int64_t id = 1; id <= many; ++id) {
    const auto row = bench::row(id);
    auto& one = out.emplace_back();
    one.partition = row.partition;
    one.epoch = 3;
    one.delivery = id;
    one.endpoint = row.endpoint;
    one.event = row.event;
    one.status = 204;
    one.duration = 7ms;
    one.started = now - 10ms;
  }
  return out;
}

void encode(benchmark::State& state, const std::vector<settlement>& batch,
            steady::time_point now, bool full) {
  for (auto step : state) {
    pg::params given;
    given.id({}).bytes("node-1");
    add_settlements(given, batch, now, full);
    benchmark::DoNotOptimize(given);
  }
  state.SetItemsProcessed(state.iterations() * std::ssize(batch));
}

/// So many deliveries that have succeeded, on their way into the database.
void write_successes(benchmark::State& state) {
  const auto now = steady::now();
  encode(state, outcomes(state.range(0), now), now, false);
}
BENCHMARK(write_successes)->Arg(1)->Arg(500);

/// A batch of which each tenth has failed and left a response: all of it takes
/// the longer way.
void write_mixed_outcomes(benchmark::State& state) {
  const auto now = steady::now();
  auto batch = outcomes(state.range(0), now);
  for (std::size_t i = 0; i < batch.size(); i += 10) {
    batch[i].state = delivery_state::retrying;
    batch[i].status = 503;
    batch[i].wait = 5s;
    batch[i].response = std::string(512, 'r');
  }
  encode(state, batch, now, true);
}
BENCHMARK(write_mixed_outcomes)->Arg(500);

/// So many events of 1 KiB on their way into the database.
void write_events(benchmark::State& state) {
  std::vector<new_event> batch;
  for (std::int64_t id = 1; id <= state.range(0); ++id) {
    auto& one = batch.emplace_back();
    one.tenant = "acme";
    one.type = "order.paid";
    one.key = "order-" + std::to_string(id) + "-paid";
    one.fingerprint = std::string(32, 'f');
    one.payload = bench::payload();
    one.ordering_key = "order-" + std::to_string(id);
  }
  for (auto step : state)
    benchmark::DoNotOptimize(ingest_parameters(batch));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(write_events)->Arg(1)->Arg(500);

} // namespace
} // namespace postrider::store
