#include "bench/samples.hpp"
#include "net/server/request_reader.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace postrider::net::server {
namespace {

/// An event on its way in: a request with a body of so many bytes, as it comes
/// from a client that says no more than it has to.
void read_event_request(benchmark::State& state) {
  const auto body = bench::payload(static_cast<std::size_t>(state.range(0)));
  const auto text = "POST /v1/events HTTP/1.1\r\nHost: postrider:8080\r\n"
                    "Authorization: Bearer 4f0c8e21b7a95d63\r\n"
                    "Content-Type: application/json\r\nAccept: */*\r\n"
                    "Content-Length: "
                    + std::to_string(body.size()) + "\r\n\r\n" + body;
  for (auto step : state) {
    request_reader reader{16 * 1'024, 1'024 * 1'024};
    std::string_view left = text;
    while (!reader.done() && !reader.fault() && !left.empty())
      left.remove_prefix(reader.read(left));
    if (!reader.done()) {
      state.SkipWithError("the request was not read to its end");
      break;
    }
    benchmark::DoNotOptimize(reader.take());
  }
  state.SetBytesProcessed(state.iterations()
                          * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_event_request)->Arg(1024)->Arg(64 * 1024);

} // namespace
} // namespace postrider::net::server
