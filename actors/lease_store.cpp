#include "actors/metered.hpp"
#include "actors/store_watch.hpp"
#include "actors/stores.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace postrider::actors {

namespace {

struct lease_store_state {
  static constexpr const char* name = "lease_store";

  explicit lease_store_state(
      metered_pointer<lease_store_actor, lease_store_state>) {}

  template <class T, class Call>
  caf::result<T> run(Call call) {
    return watch.run<T>(store_query::lease, std::move(call));
  }

  store_watch watch;
  std::unique_ptr<store::leases> leases;
};

lease_store_actor::behavior_type
lease_store(metered_pointer<lease_store_actor, lease_store_state> self,
            store_options options) {
  auto& st = self->state;
  st.leases = std::make_unique<store::leases>(
      options.database, options.node, options.node_name, options.lease_time,
      options.version, options.role);
  st.watch = {lease_store_state::name, options.log, options.counters};
  return {
      [&st](atom::beat, store::standing how) {
        return st.run<store::heartbeat>([&] { return st.leases->beat(how); });
      },
      [&st](atom::acquire, int count) {
        return st.run<lease_list>([&] { return st.leases->acquire(count); });
      },
      [&st](atom::release, const lease_list& given) {
        return st.run<bool>([&] {
          st.leases->release(given);
          return true;
        });
      },
      [&st](atom::leave) {
        return st.run<bool>([&] {
          st.leases->leave();
          return true;
        });
      },
      [&st](atom::mark, const store::lease& under, std::int64_t delivery) {
        return st.run<bool>([&] { return st.leases->mark(under, delivery); });
      },
      [&st](atom::sweep) {
        return st.run<int>([&] { return st.leases->sweep(); });
      },
  };
}

} // namespace

lease_store_actor spawn_lease_store(caf::actor_system& system,
                                    store_options options) {
  return system.spawn<caf::detached>(lease_store, std::move(options));
}

} // namespace postrider::actors
