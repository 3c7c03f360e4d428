#include "actors/cleaner.hpp"
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

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace postrider::actors {

namespace {

// A week without an engine must not end in a day without a partition.
constexpr int days_ahead = 7;
constexpr std::chrono::minutes between_upkeeps{60};
constexpr std::chrono::minutes after_failure{1};
// Nodes that are started have better things to do first.
constexpr std::chrono::milliseconds first_step{60'000};

using std::chrono::milliseconds;
using time_point = std::chrono::steady_clock::time_point;

struct janitor_state {
  static constexpr const char* name = "janitor";

  explicit janitor_state(metered_pointer<janitor_actor, janitor_state> owner)
      : self{owner} {}

  bool check() {
    store::migrator schema{options.database.url};
    schema.check();
    schema.make_partitions(days_ahead);
    next_upkeep = now() + between_upkeeps;
    check_secrets();
    check_settings();
    begin_rounds();
    return true;
  }

  void begin_rounds() {
    if (std::exchange(begun, true))
      return;
    const auto pause = std::min(options.retention.every, first_step);
    next_step = now() + pause;
    self->delayed_send(self, pause, atom::tick_v);
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

  void tick() {
    if (now() >= next_upkeep)
      next_upkeep = now() + upkeep();
    if (now() >= next_step)
      next_step = now() + clean();
    self->delayed_send(self, std::min(next_upkeep, next_step) - now(),
                       atom::tick_v);
  }

  /// When it should be done again.
  milliseconds upkeep() {
    const auto done = watch.run<bool>(store_query::upkeep, [this] {
      check_settings();
      store::migrator{options.database.url}.make_partitions(days_ahead);
      return true;
    });
    const bool failed = done.flag == caf::rt_error;
    if (failed)
      options.log(level::error, name, "upkeep failed: " + text_of(done.err));
    return failed ? after_failure : between_upkeeps;
  }

  milliseconds clean() {
    milliseconds next = after_failure;
    const auto done = watch.run<bool>(store_query::upkeep, [&] {
      next = past->step();
      return true;
    });
    if (done.flag == caf::rt_error) {
      options.counters->meters.upkeep.failed.add();
      options.log(level::error, name,
                  "what is past its time stays: " + text_of(done.err));
    }
    return next;
  }

  static time_point now() { return std::chrono::steady_clock::now(); }

  metered_pointer<janitor_actor, janitor_state> self;
  store_options options;
  store_watch watch;
  std::optional<cleaner> past;
  bool begun = false;
  time_point next_upkeep = now() + between_upkeeps;
  time_point next_step = now();
};

janitor_actor::behavior_type
janitor(metered_pointer<janitor_actor, janitor_state> self,
        store_options options) {
  auto& st = self->state;
  st.watch = {janitor_state::name, options.log, options.counters};
  st.options = std::move(options);
  st.past.emplace(st.options);
  return {
      [&st](atom::start) {
        return st.watch.run<bool>(store_query::upkeep,
                                  [&] { return st.check(); });
      },
      [&st](atom::tick) { st.tick(); },
  };
}

} // namespace

janitor_actor spawn_janitor(caf::actor_system& system, store_options options) {
  return system.spawn<caf::detached>(janitor, std::move(options));
}

} // namespace postrider::actors
