#include "store/health_store.hpp"
#include "actors/metered.hpp"
#include "actors/store_watch.hpp"
#include "actors/stores.hpp"
#include "core/tenant_limits.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace postrider::actors {

namespace {

using namespace std::chrono_literals;

constexpr auto upkeep_every = 30s;
constexpr auto limits_every = 2s;

struct health_store_state {
  static constexpr const char* name = "health_store";
  using pointer = metered_pointer<health_store_actor, health_store_state>;

  explicit health_store_state(pointer owner) : self{owner} {}

  moved move(const store::health_move& what) {
    if (auto revision = health->move(what))
      return {revision, {}};
    return {std::nullopt, health->record(what.endpoint)};
  }

  /// Whoever holds the first partition does it for all.
  void upkeep() {
    if (counters->meters.backlog.wanted)
      // A failure is on record; the next round tries again.
      static_cast<void>(watch.run<bool>(store_query::upkeep, [&] {
        const auto [ended, freed] = health->upkeep();
        counters->meters.health.trimmed.add(static_cast<unsigned>(ended));
        counters->meters.health.rescued.add(static_cast<unsigned>(freed));
        return true;
      }));
    self->delayed_send(self, upkeep_every, atom::tick_v);
  }

  void read_limits() {
    if (tenants)
      static_cast<void>(watch.run<bool>(store_query::upkeep, [&] {
        tenant_limits::overrides all;
        for (const auto& one : health->tenant_limits())
          all.emplace(one.tenant,
                      tenant_limits::limits{one.max_in_flight, one.rate});
        tenants->override(std::move(all));
        return true;
      }));
    self->delayed_send(self, limits_every, atom::again_v);
  }

  pointer self;
  store_watch watch;
  counters_ptr counters;
  std::shared_ptr<tenant_limits> tenants;
  std::unique_ptr<store::health_store> health;
};

health_store_actor::behavior_type
health_store(health_store_state::pointer self, store_options options,
             std::shared_ptr<tenant_limits> tenants) {
  auto& st = self->state;
  st.health =
      std::make_unique<store::health_store>(options.database, options.node);
  st.watch = {health_store_state::name, options.log, options.counters};
  st.counters = options.counters;
  st.tenants = std::move(tenants);
  self->send(self, atom::again_v);
  self->delayed_send(self, upkeep_every, atom::tick_v);
  return {
      [&st](atom::move, const store::health_move& what) {
        return st.watch.run<moved>(store_query::health,
                                   [&] { return st.move(what); });
      },
      [&st](atom::hold, const chunk_query& q) {
        return st.watch.run<store::chunk_done>(store_query::health, [&] {
          return st.health->hold(q.endpoint, q.partition, q.epoch, q.after);
        });
      },
      [&st](atom::cancel, const chunk_query& q) {
        return st.watch.run<store::chunk_done>(store_query::health, [&] {
          return st.health->cancel(q.endpoint, q.partition, q.epoch, q.after,
                                   q.in_flight);
        });
      },
      [&st](atom::tick) { st.upkeep(); },
      [&st](atom::again) { st.read_limits(); },
  };
}

} // namespace

health_store_actor spawn_health_store(caf::actor_system& system,
                                      store_options options,
                                      std::shared_ptr<tenant_limits> tenants) {
  return system.spawn<caf::detached>(health_store, std::move(options),
                                     std::move(tenants));
}

} // namespace postrider::actors
