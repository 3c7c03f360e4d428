#include "actors/ingester.hpp"

#include "actors/keeper.hpp"
#include "actors/metered.hpp"
#include "core/failpoint.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <deque>
#include <utility>

namespace postrider::actors {

namespace {

struct ingester_state;
using ingester_ptr = metered_pointer<ingester_actor, ingester_state>;

struct ingester_state {
  static constexpr const char* name = "ingester";

  explicit ingester_state(ingester_ptr owner) : self{owner} {}

  /// The tick is queued behind the calls that stand in the mailbox already:
  /// they go into the same commit.
  void gather(const ingest_call_ptr& call) {
    POSTRIDER_FAILPOINT("ingester.gather");
    waiting.push_back(call);
    if (!ticking && !idle.empty()) {
      ticking = true;
      self->send(self, atom::tick_v);
    }
  }

  void commit() {
    ticking = false;
    while (!waiting.empty() && !idle.empty()) {
      auto store = idle.back();
      idle.pop_back();
      auto batch = next_batch();
      const auto calls = batch;
      self->request(store, options.patience, atom::ingest_v, std::move(batch))
          .then([this, store](bool) { committed(store); },
                [this, store, calls](const caf::error& fault) {
                  failed(store, calls, fault);
                });
    }
  }

  ingest_batch next_batch() {
    ingest_batch out;
    std::size_t events = 0;
    while (
        !waiting.empty()
        && (out.empty() || events + waiting.front()->count() <= options.most)) {
      events += waiting.front()->count();
      out.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
    return out;
  }

  void committed(const ingest_store_actor& store) {
    options.counters->storage_up = true;
    idle.push_back(store);
    self->send(root, atom::wake_v);
    options.ring();
    commit();
  }

  /// Whether it was stored is unknown: the callers repeat with their keys.
  void failed(const ingest_store_actor& store, const ingest_batch& calls,
              const caf::error& fault) {
    options.log(level::warn, name, "a commit failed: " + text_of(fault));
    for (const auto& call : calls)
      call->finish(ingest_call::verdict::unavailable, {});
    idle.push_back(store);
    commit();
  }

  ingester_ptr self;
  ingester_options options;
  root_supervisor_actor root;
  std::vector<ingest_store_actor> idle;
  std::deque<ingest_call_ptr> waiting;
  bool ticking = false;
};

ingester_actor::behavior_type ingester(ingester_ptr self,
                                       ingester_options options,
                                       std::vector<ingest_store_actor> stores,
                                       root_supervisor_actor root) {
  auto& st = self->state;
  st.options = std::move(options);
  st.idle = std::move(stores);
  st.root = std::move(root);
  return {
      [&st](atom::ingest, const ingest_call_ptr& call) { st.gather(call); },
      [&st](atom::apply, const live_options_ptr& fresh) {
        apply_live(*fresh, st.options);
      },
      [&st](atom::tick) { st.commit(); },
  };
}

} // namespace

ingester_actor spawn_ingester(caf::actor_system& system,
                              ingester_options options,
                              std::vector<ingest_store_actor> stores,
                              root_supervisor_actor root) {
  return system.spawn(ingester, std::move(options), std::move(stores),
                      std::move(root));
}

} // namespace postrider::actors
