#include "actors/node_state.hpp"

#include "actors/ending.hpp"

#include <caf/actor_system.hpp>

#include <utility>

namespace postrider::actors {

node_state::~node_state() {
  for (const auto& [partition, one] : mine)
    end_actor(one.driver);
}

namespace {

node_supervisor_actor::behavior_type
node_supervisor(node_ptr self, node_options options, lease_store_actor store,
                reader_actor reader, health_store_actor health,
                std::vector<http_worker_actor> workers) {
  auto& st = self->state;
  st.options = std::move(options);
  st.store = std::move(store);
  st.reader = std::move(reader);
  st.health = std::move(health);
  st.workers = std::move(workers);
  self->set_down_handler([&st](caf::down_msg& what) { st.down(what); });
  self->send(self, atom::tick_v);
  return {
      [&st](atom::stop) { return st.stop(); },
      [&st](atom::drained, std::uint16_t partition) { st.drained(partition); },
      [&st](atom::apply, const live_options_ptr& fresh) { st.apply(fresh); },
      [&st](atom::tick) { st.beat(); },
      [&st](atom::leave) { st.leave(false); },
  };
}

} // namespace

node_supervisor_actor
spawn_node_supervisor(caf::actor_system& system, node_options options,
                      lease_store_actor store, reader_actor reader,
                      health_store_actor health,
                      std::vector<http_worker_actor> workers) {
  return system.spawn(node_supervisor, std::move(options), std::move(store),
                      std::move(reader), std::move(health), std::move(workers));
}

} // namespace postrider::actors
