#include "app/api/event_body.hpp"
#include "app/api/json_text.hpp"
#include "bench/samples.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace postrider {
namespace {

/// A request of the API with a payload of so many bytes, judged and read into
/// an event.
void read_event_body(benchmark::State& state) {
  std::string body = R"({"tenant":"acme","type":"order.paid","id":"order-17",)"
                     R"("ordering_key":"customer-4","payload":)"
                     + bench::payload(static_cast<std::size_t>(state.range(0)))
                     + "}";
  body.reserve(body.size() + 64); // as the server's buffer has
  for (auto step : state) {
    const auto text = api::read_json(body, 64);
    const auto* value = std::get_if<api::json_value>(&text);
    if (value == nullptr) {
      state.SkipWithError("the body is no JSON");
      break;
    }
    api::faults found;
    benchmark::DoNotOptimize(api::read_event(*value, 1 << 20, found));
  }
  state.SetBytesProcessed(state.iterations()
                          * static_cast<std::int64_t>(body.size()));
}
BENCHMARK(read_event_body)->Arg(256)->Arg(1024)->Arg(64 * 1024);

} // namespace
} // namespace postrider
