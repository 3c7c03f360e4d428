#include "core/address.hpp"
#include "core/url.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

/// What each new connection is asked, with a few networks in the lists.
void judge_an_address(benchmark::State& state) {
  address_guard guard;
  for (const auto* text : {"10.1.0.0/16", "192.168.7.0/24", "fd00::/8"})
    guard.allow.push_back(*parse_network(text));
  for (const auto* text : {"203.0.113.0/24", "2001:db8::/32"})
    guard.deny.push_back(*parse_network(text));
  const auto address =
      *parse_ip(state.range(0) == 4 ? "93.184.215.14" : "2606:2800:21f::1");
  for (auto step : state) {
    benchmark::DoNotOptimize(guard.refuse(address));
    benchmark::DoNotOptimize(guard.refuse_port(443));
  }
}
BENCHMARK(judge_an_address)->Arg(4)->Arg(6);

/// What an endpoint that is loaded is asked.
void read_a_url(benchmark::State& state) {
  for (auto step : state)
    benchmark::DoNotOptimize(
        parse_url("https://hooks.example.com/in/orders?source=postrider"));
}
BENCHMARK(read_a_url);

} // namespace
} // namespace postrider
