#include "actors/keeper.hpp"
#include "actors/stores.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "core/failpoint.hpp"
#include "store/ingester.hpp"

#include <algorithm>
#include <iterator>

namespace postrider::actors {

namespace {

struct ingest_store_state {
  static constexpr const char* name = "ingest_store";

  explicit ingest_store_state(
      ingest_store_actor::stateful_pointer<ingest_store_state>) {}

  /// One transaction for all calls, then each its own part of the results.
  bool commit(const ingest_batch& calls) {
    std::vector<new_event> all;
    for (const auto& call : calls) {
      auto events = call->take();
      std::move(events.begin(), events.end(), std::back_inserter(all));
    }
    POSTRIDER_IF_FAILS("defect.answer_first",
                       answer(calls, std::vector<ingest_result>(all.size())));
    POSTRIDER_FAILPOINT("ingest.before_insert");
    try {
      answer(calls, ingester->ingest(all));
    } catch (const store::error& fault) {
      if (calls.size() == 1
          || fault.what_kind() == store::error::kind::transient)
        throw;
      // Some event is refused by the statement itself: it must not take the
      // others with it.
      one_by_one(calls, all);
    }
    return true;
  }

  static void answer(const ingest_batch& calls,
                     const std::vector<ingest_result>& results) {
    POSTRIDER_FAILPOINT("ingest.committed");
    auto from = results.begin();
    for (const auto& call : calls) {
      const auto to =
          std::next(from, static_cast<std::ptrdiff_t>(call->count()));
      call->finish(ingest_call::verdict::stored, {from, to});
      from = to;
    }
  }

  void one_by_one(const ingest_batch& calls,
                  const std::vector<new_event>& all) {
    auto from = all.begin();
    for (const auto& call : calls) {
      const auto to =
          std::next(from, static_cast<std::ptrdiff_t>(call->count()));
      try {
        answer({call}, ingester->ingest({from, to}));
      } catch (const store::error& fault) {
        log(level::error, name, fault.what());
        call->finish(ingest_call::verdict::unavailable, {});
      }
      from = to;
    }
  }

  log_sink log;
  std::unique_ptr<store::ingester> ingester;
};

ingest_store_actor::behavior_type
ingest_store(ingest_store_actor::stateful_pointer<ingest_store_state> self,
             store_options options) {
  auto& st = self->state;
  st.ingester = std::make_unique<store::ingester>(options.url);
  st.log = std::move(options.log);
  return {
      [&st](atom::ingest, const ingest_batch& calls) {
        return guarded<bool>(st.log, ingest_store_state::name,
                             [&] { return st.commit(calls); });
      },
  };
}

} // namespace

ingest_store_actor spawn_ingest_store(caf::actor_system& system,
                                      store_options options) {
  return system.spawn<caf::detached>(ingest_store, std::move(options));
}

} // namespace postrider::actors
