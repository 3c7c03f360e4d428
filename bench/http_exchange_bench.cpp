#include "bench/samples.hpp"
#include "core/wire.hpp"
#include "net/http_client.hpp"
#include "net/sink.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <utility>
#include <vector>

namespace postrider::net {
namespace {

/// Requests of 1 KiB over the loopback to a receiver that answers at once, on
/// connections that are kept; so many are handed over together and waited for.
/// The time of the receiver, on a thread of its own, is in it.
void exchange_requests(benchmark::State& state) {
  const auto many = state.range(0);
  sink receiver{"127.0.0.1", [](const auto&) { return sink_answer::done; }};
  http_client_options options;
  options.guard.allow = {*parse_network("127.0.0.0/8")};
  http_client client{options};
  const auto event = bench::event();
  http_request request;
  request.target = std::get<url>(parse_url(
      "http://127.0.0.1:" + std::to_string(receiver.port()) + "/in/orders"));
  request.headers =
      attempt_headers(bench::receiver(), event, bench::row(17), {}, {});
  request.body = event.payload;
  std::atomic<std::int64_t> done{0};
  std::atomic<std::int64_t> good{0};
  for (auto step : state) {
    done = 0;
    std::vector<std::pair<http_request, http_client::callback>> all;
    for (std::int64_t i = 0; i < many; ++i)
      all.emplace_back(request, [&](const attempt_result& result) {
        good += result.status == 204;
        if (++done == many)
          done.notify_one();
      });
    client.send(std::move(all));
    for (auto now = done.load(); now < many; now = done.load())
      done.wait(now);
  }
  client.stop();
  if (good != state.iterations() * many)
    state.SkipWithError("not every request was answered with 204");
  state.SetItemsProcessed(state.iterations() * many);
}
BENCHMARK(exchange_requests)->Arg(1)->Arg(32)->Arg(256)->UseRealTime();

} // namespace
} // namespace postrider::net
