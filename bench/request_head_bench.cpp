#include "bench/samples.hpp"
#include "core/wire.hpp"
#include "net/client/request_head.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace postrider::net::client {
namespace {

/// What is written in front of a body, checked before.
void write_head(benchmark::State& state) {
  http_request request;
  const auto to = bench::receiver();
  const auto event = bench::event();
  request.target = *to.target;
  request.headers = attempt_headers(to, event, bench::row(17), {}, {});
  request.body = event.payload;
  std::string into;
  for (auto step : state) {
    if (refuse_request(request))
      state.SkipWithError("the request was refused");
    write_request_head(request, into);
    benchmark::DoNotOptimize(into);
  }
}
BENCHMARK(write_head);

} // namespace
} // namespace postrider::net::client
