#include "app/api/auth.hpp"
#include "app/api/call.hpp"
#include "app/api/event_body.hpp"
#include "app/api/json_writer.hpp"
#include "app/api/rfc3339.hpp"
#include "bench/samples.hpp"
#include "core/public_id.hpp"
#include "core/signature.hpp"

#include <benchmark/benchmark.h>

#include <memory>

// What a request to ingest an event costs beside the reading of its body.
namespace postrider {
namespace {

/// The bearer key of a request.
void check_the_key(benchmark::State& state) {
  auto service = std::make_shared<api::service>();
  service->options.key = "4f0c8e21b7a95d63";
  service->key_digest = sha256(service->options.key);
  api::call request;
  request.on = service;
  request.request.headers = {{"Host", "postrider:8080"},
                             {"Authorization", "Bearer 4f0c8e21b7a95d63"},
                             {"Content-Type", "application/json"}};
  for (auto step : state)
    if (refuse_unauthenticated(request))
      state.SkipWithError("the key was refused");
}
BENCHMARK(check_the_key);

/// By which a repeat with the same key is known, over 1 KiB.
void take_a_fingerprint(benchmark::State& state) {
  new_event event;
  event.type = "order.paid";
  event.payload = bench::payload();
  event.ordering_key = "order-17";
  for (auto step : state)
    benchmark::DoNotOptimize(api::fingerprint_of(event));
}
BENCHMARK(take_a_fingerprint);

/// The body of the answer.
void write_the_answer(benchmark::State& state) {
  std::int64_t number = 0;
  for (auto step : state) {
    const auto id = bench::event_id(++number);
    api::json_writer out;
    out.begin_object();
    out.key("id").string(event_public_id(id));
    out.text_if("key", "order-17-paid");
    out.key("duplicate").boolean(false);
    out.key("deliveries").number(1);
    out.key("accepted_at").string(api::to_rfc3339(time_of(id)));
    out.end_object();
    benchmark::DoNotOptimize(out.take());
  }
}
BENCHMARK(write_the_answer);

} // namespace
} // namespace postrider
