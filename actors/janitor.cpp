#include "actors/keeper.hpp"
#include "actors/metered.hpp"
#include "actors/store_watch.hpp"
#include "actors/stores.hpp"

#include "store/database_facts.hpp"
#include "store/inspection.hpp"
#include "store/migrator.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace postrider::actors {

namespace {

// A week without an engine must not end in a day without a partition.
constexpr int days_ahead = 7;

struct janitor_state {
  static constexpr const char* name = "janitor";

  explicit janitor_state(metered_pointer<janitor_actor, janitor_state> owner)
      : self{owner} {}

  bool check() {
    store::migrator schema{options.database.url};
    schema.check();
    schema.make_partitions(days_ahead);
    check_secrets();
    check_settings();
    return true;
  }

  /// With another key every delivery would fail as unusable: better not to
  /// start at all.
  void check_secrets() {
    const auto sealed =
        store::count_sealed(options.database.url, options.secret_key);
    if (sealed.all > 0 && sealed.foreign == sealed.all)
      throw store::error{store::error::kind::broken, store::describe(sealed)};
    if (sealed.foreign > 0)
      options.log(level::error, name, store::describe(sealed));
  }

  /// Said when it is found, and when it changes.
  void check_settings() {
    const auto found = store::unsafe_settings(options.database.url);
    if (options.counters->unsafe_settings.exchange(found) == found)
      return;
    if (found == 0)
      options.log(level::info, name, "the database's settings are durable");
    else
      options.log(level::warn, name,
                  "the database may lose what was accepted: "
                      + store::describe_settings(found));
  }

  void round() {
    const auto done = watch.run<bool>(store_query::upkeep, [this] {
      check_settings();
      store::migrator{options.database.url}.make_partitions(days_ahead);
      return true;
    });
    const bool failed = done.flag == caf::rt_error;
    if (failed)
      options.log(level::error, name, "upkeep failed: " + text_of(done.err));
    self->delayed_send(
        self, failed ? std::chrono::minutes{1} : std::chrono::minutes{60},
        atom::tick_v);
  }

  metered_pointer<janitor_actor, janitor_state> self;
  store_options options;
  store_watch watch;
};

janitor_actor::behavior_type
janitor(metered_pointer<janitor_actor, janitor_state> self,
        store_options options) {
  auto& st = self->state;
  st.watch = {janitor_state::name, options.log, options.counters};
  st.options = std::move(options);
  self->delayed_send(self, std::chrono::minutes{60}, atom::tick_v);
  return {
      [&st](atom::start) {
        return st.watch.run<bool>(store_query::upkeep,
                                  [&] { return st.check(); });
      },
      [&st](atom::tick) { st.round(); },
  };
}

} // namespace

janitor_actor spawn_janitor(caf::actor_system& system, store_options options) {
  return system.spawn<caf::detached>(janitor, std::move(options));
}

} // namespace postrider::actors
