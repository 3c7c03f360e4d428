#include "actors/listener.hpp"

#include "actors/metered.hpp"
#include "store/error.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace postrider::actors {

namespace {

using namespace std::chrono_literals;

// So that one who looks for actors that stand still sees it move.
constexpr std::chrono::milliseconds one_wait{1'000};
constexpr std::chrono::milliseconds longest_pause{5'000};

struct listener_state;
using listener_ptr = metered_pointer<listener_actor, listener_state>;

struct listener_state {
  static constexpr const char* name = "listener";

  explicit listener_state(listener_ptr owner) : self{owner} {}

  void round() {
    try {
      if (bell->wait(one_wait)) {
        counters->meters.store.rings.add();
        self->send(root, atom::wake_v);
      }
      pause = 100ms;
      self->send(self, atom::tick_v);
    } catch (const std::exception& fault) {
      if (pause == 100ms)
        log(level::warn, name,
            "hears no wake-ups, the poll goes on: "
                + std::string{fault.what()});
      self->delayed_send(self, pause, atom::tick_v);
      pause = std::min<std::chrono::milliseconds>(pause * 2, longest_pause);
    }
  }

  listener_ptr self;
  std::shared_ptr<store::listener> bell;
  root_supervisor_actor root;
  counters_ptr counters;
  log_sink log;
  std::chrono::milliseconds pause{100};
};

listener_actor::behavior_type listener(listener_ptr self,
                                       const store_options& options,
                                       std::shared_ptr<store::listener> bell,
                                       root_supervisor_actor root) {
  auto& st = self->state;
  st.bell = std::move(bell);
  st.root = std::move(root);
  st.counters = options.counters;
  st.log = options.log;
  self->send(self, atom::tick_v);
  return {
      [&st](atom::tick) { st.round(); },
  };
}

} // namespace

listener_actor spawn_listener(caf::actor_system& system,
                              const store_options& options,
                              std::shared_ptr<store::listener> bell,
                              root_supervisor_actor root) {
  return system.spawn<caf::detached>(listener, options, std::move(bell),
                                     std::move(root));
}

} // namespace postrider::actors
