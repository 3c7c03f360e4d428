#include <benchmark/benchmark.h>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <cstdint>
#include <future>
#include <memory>

namespace postrider {
namespace {

using std::int32_t;

constexpr int32_t hops = 10'000;

/// Ends the wait of the benchmark; shared, for a message has to be copyable.
using finish = std::shared_ptr<std::promise<void>>;

caf::behavior echo(caf::event_based_actor*) {
  return {[](int32_t number) { return number; }};
}

void ask(caf::event_based_actor* self, const caf::actor& other, int32_t left,
         const finish& done) {
  if (left == 0) {
    done->set_value();
    return;
  }
  self->request(other, std::chrono::seconds{10}, left)
      .then([=](int32_t) { ask(self, other, left - 1, done); },
            [=](const caf::error&) { done->set_value(); });
}

/// From one actor to another and back, one at a time: the time is that of a
/// request and its answer.
void request_and_answer(benchmark::State& state) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  const auto other = system.spawn(echo);
  for (auto step : state) {
    const auto done = std::make_shared<std::promise<void>>();
    system.spawn([other, done](caf::event_based_actor* self) {
      ask(self, other, hops, done);
    });
    done->get_future().wait();
  }
  caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
  state.SetItemsProcessed(state.iterations() * hops);
}
BENCHMARK(request_and_answer)->UseRealTime()->Unit(benchmark::kMillisecond);

/// From one actor to another, without an answer, as fast as they can.
void one_way(benchmark::State& state) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  for (auto step : state) {
    const auto done = std::make_shared<std::promise<void>>();
    const auto other =
        system.spawn([done](caf::event_based_actor* self) -> caf::behavior {
          return {[self, done](int32_t left) {
            if (left == 0) {
              done->set_value();
              self->quit();
            }
          }};
        });
    system.spawn([other](caf::event_based_actor* self) {
      for (int32_t left = hops; left >= 0; --left)
        self->send(other, left);
    });
    done->get_future().wait();
  }
  state.SetItemsProcessed(state.iterations() * hops);
}
BENCHMARK(one_way)->UseRealTime()->Unit(benchmark::kMillisecond);

} // namespace
} // namespace postrider
