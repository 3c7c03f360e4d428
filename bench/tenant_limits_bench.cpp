#include "core/tenant_limits.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace postrider {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> names(std::int64_t many) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < many; ++i)
    out.push_back("tenant-" + std::to_string(i));
  return out;
}

/// A slot and its return, by turns for so many tenants; partitions on two
/// threads share the account.
void enter_and_leave(benchmark::State& state) {
  static tenant_limits limits;
  const auto tenants = names(state.range(0));
  const tenant_limits::waiter asks{state.thread_index(), [] {}};
  tenant_limits::time_point now{};
  std::size_t next = 0;
  for (auto step : state) {
    const auto& tenant = tenants[next++ % tenants.size()];
    benchmark::DoNotOptimize(limits.enter(tenant, asks, now += 1us));
    limits.leave(tenant);
  }
}
BENCHMARK(enter_and_leave)->Arg(1)->Arg(256);
BENCHMARK(enter_and_leave)->Arg(1)->Arg(256)->Threads(2)->UseRealTime();

/// The same under a rate.
void enter_under_a_rate(benchmark::State& state) {
  tenant_limits limits;
  limits.configure({1'000, 1'000'000});
  const tenant_limits::waiter asks{7, [] {}};
  tenant_limits::time_point now{};
  for (auto step : state) {
    const auto said = limits.enter("acme", asks, now += 1us);
    if (said.what != tenant_limits::verdict::granted)
      state.SkipWithError("there was no token");
    limits.leave("acme");
  }
}
BENCHMARK(enter_under_a_rate);

/// A tenant at its limit: another partition has the slot, this one stands in
/// line, is called, and takes it over.
void hand_a_slot_over(benchmark::State& state) {
  tenant_limits limits;
  limits.configure({1, 0});
  int called = 0;
  const tenant_limits::waiter one{1, [&] { ++called; }};
  const tenant_limits::waiter other{2, [&] { ++called; }};
  const auto* next = &other;
  tenant_limits::time_point now{};
  limits.enter("acme", one, now);
  for (auto step : state) {
    limits.enter("acme", *next, now += 1us);
    limits.leave("acme");
    limits.enter("acme", *next, now);
    next = next == &one ? &other : &one;
  }
  if (called != state.iterations())
    state.SkipWithError("a slot was not handed over");
}
BENCHMARK(hand_a_slot_over);

} // namespace
} // namespace postrider
