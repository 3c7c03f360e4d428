#include "actors/metered.hpp"
#include "actors/store_watch.hpp"
#include "actors/stores.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <exception>

namespace postrider::actors {

namespace {

struct query_store_state {
  static constexpr const char* name = "query_store";

  explicit query_store_state(
      metered_pointer<query_store_actor, query_store_state>) {}

  void run(query_call& call) {
    try {
      options.counters->meters.store.wait.observe(
          std::chrono::steady_clock::now() - call.since());
      watch.timed(store_query::read, [&] { call.run(*catalog); });
    } catch (const store::error& fault) {
      call.fail(fault);
    } catch (const std::exception& fault) {
      options.log(level::error, name, fault.what());
      call.fail({store::error::kind::defect, fault.what()});
    }
  }

  store_options options;
  store_watch watch;
  std::unique_ptr<store::catalog> catalog;
};

query_store_actor::behavior_type
query_store(metered_pointer<query_store_actor, query_store_state> self,
            store_options options) {
  auto& st = self->state;
  st.catalog = std::make_unique<store::catalog>(options.database);
  st.catalog->use_secret_key(options.secret_key);
  st.watch = {query_store_state::name, options.log, options.counters};
  st.options = std::move(options);
  return {
      [&st](atom::query, const query_call_ptr& call) { st.run(*call); },
  };
}

} // namespace

query_store_actor spawn_query_store(caf::actor_system& system,
                                    store_options options) {
  return system.spawn<caf::detached>(query_store, std::move(options));
}

} // namespace postrider::actors
