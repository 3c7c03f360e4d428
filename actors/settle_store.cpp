#include "actors/metered.hpp"
#include "actors/store_watch.hpp"
#include "actors/stores.hpp"
#include "core/failpoint.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace postrider::actors {

namespace {

struct settle_store_state {
  static constexpr const char* name = "settle_store";

  explicit settle_store_state(
      metered_pointer<settle_store_actor, settle_store_state>) {}

  static bool holds(const store::settlement& one) {
    return one.state == delivery_state::held && !one.sent;
  }

  /// A row that is held as it was read may be sent as a trial right after: of
  /// the two words in one batch the outcome counts.
  static settlement_list without_stale_holds(settlement_list batch) {
    if (std::ranges::none_of(batch, holds))
      return batch;
    std::unordered_map<std::int64_t, int> words;
    for (const auto& one : batch)
      ++words[one.delivery];
    std::erase_if(batch, [&](const auto& one) {
      return holds(one) && words[one.delivery]-- > 1;
    });
    return batch;
  }

  settle_report settle(const settlement_list& given) {
    POSTRIDER_FAILPOINT("settle.before");
    const auto batch = without_stale_holds(given);
    const auto done = settler->settle(batch);
    POSTRIDER_FAILPOINT("settle.committed");
    settle_report out;
    out.deliveries.reserve(batch.size());
    const auto now = counters->database_now();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      out.deliveries.push_back(batch[i].delivery);
      // One that was to be held and has ended since is no loss.
      out.fenced += done.hit[i] || holds(batch[i]) ? 0 : 1;
      counters->meters.settle.record(batch[i], done.hit[i], now);
    }
    return out;
  }

  store_watch watch;
  counters_ptr counters;
  std::unique_ptr<store::settler> settler;
};

settle_store_actor::behavior_type
settle_store(metered_pointer<settle_store_actor, settle_store_state> self,
             store_options options) {
  auto& st = self->state;
  st.settler = std::make_unique<store::settler>(options.database, options.node,
                                                options.node_name);
  st.watch = {settle_store_state::name, options.log, options.counters};
  st.counters = options.counters;
  return {
      [&st](atom::settle, const settlement_list& batch) {
        return st.watch.run<settle_report>(store_query::finish,
                                           [&] { return st.settle(batch); });
      },
  };
}

} // namespace

settle_store_actor spawn_settle_store(caf::actor_system& system,
                                      store_options options) {
  return system.spawn<caf::detached>(settle_store, std::move(options));
}

} // namespace postrider::actors
