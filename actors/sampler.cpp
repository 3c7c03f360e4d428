#include "actors/sampler.hpp"

#include "actors/metered.hpp"
#include "actors/store_watch.hpp"
#include "store/backlog.hpp"

namespace postrider::actors {

namespace {

struct sampler_state;
using sampler_ptr = metered_pointer<sampler_actor, sampler_state>;

// Samples between two looks for the oldest queued delivery.
constexpr unsigned oldest_every = 6;

struct sampler_state {
  static constexpr const char* name = "sampler";

  explicit sampler_state(sampler_ptr owner) : self{owner} {}

  void round() {
    auto& to = counters->meters.backlog;
    if (!to.wanted)
      to.known = false;
    else
      sample(to);
    self->delayed_send(self, period, atom::tick_v);
  }

  void sample(backlog_gauges& to) {
    const auto done = watch.run<bool>(store_query::upkeep, [&] {
      const bool oldest = samples++ % oldest_every == 0;
      const auto got = rows->take(oldest);
      const auto age = [](const auto& of) { return of ? of->count() : 0; };
      to.queued = got.queued;
      to.retrying = got.retrying;
      to.held = got.held;
      to.degraded = got.degraded;
      to.suspended = got.suspended;
      to.disabled = got.disabled;
      to.paused = got.paused;
      if (oldest)
        to.oldest_queued_ms = age(got.oldest_queued);
      to.oldest_retrying_ms = age(got.oldest_retrying);
      to.event_days = got.event_days;
      to.attempt_days = got.attempt_days;
      to.retained_wal = got.retained_wal;
      return true;
    });
    to.known = done.flag != caf::rt_error;
  }

  sampler_ptr self;
  std::chrono::milliseconds period{5'000};
  counters_ptr counters;
  store_watch watch;
  std::unique_ptr<store::backlog> rows;
  unsigned samples = 0;
};

sampler_actor::behavior_type sampler(sampler_ptr self, store_options options,
                                     std::chrono::milliseconds period) {
  auto& st = self->state;
  st.period = period;
  st.counters = options.counters;
  st.rows = std::make_unique<store::backlog>(options.database);
  st.watch = {sampler_state::name, std::move(options.log), options.counters};
  self->send(self, atom::tick_v);
  return {
      [&st](atom::tick) { st.round(); },
  };
}

} // namespace

sampler_actor spawn_sampler(caf::actor_system& system, store_options options,
                            std::chrono::milliseconds period) {
  return system.spawn<caf::detached>(sampler, std::move(options), period);
}

} // namespace postrider::actors
