#include "actors/ingester.hpp"

#include "actors/keeper.hpp"
#include "actors/metered.hpp"
#include "actors/request_watch.hpp"
#include "core/failpoint.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace postrider::actors {

namespace {

struct ingester_state;
using ingester_ptr = metered_pointer<ingester_actor, ingester_state>;

struct ingester_state {
  static constexpr const char* name = "ingester";

  struct waiting_call {
    ingest_call_ptr call;
    time_point since;
  };

  explicit ingester_state(ingester_ptr owner) : self{owner} {}

  /// The tick is queued behind the calls that stand in the mailbox already:
  /// they go into the same commit.
  void gather(const ingest_call_ptr& call) {
    POSTRIDER_FAILPOINT("ingester.gather");
    waiting.push_back({call, self->clock().now()});
    waiting_events += call->count();
    if (!ticking && !idle.empty()) {
      ticking = true;
      self->send(self, atom::tick_v);
    }
  }

  void tick() {
    ticking = false;
    if (timer && *timer <= self->clock().now())
      timer.reset();
    commit();
  }

  void commit() {
    while (!waiting.empty() && !idle.empty()) {
      if (const auto wait = lingers(); wait > time_point::duration{0}) {
        wake_in(wait);
        return;
      }
      auto store = idle.back();
      idle.pop_back();
      options.counters->ingests = ++under_way;
      auto batch = next_batch();
      const auto calls = batch;
      auto asked = watch.ask(self, options.patience, store, atom::ingest_v,
                             std::move(batch));
      const auto id = asked.id();
      asked.then(
          [this, store, id](const fresh_ptr& made) {
            watch.done(id);
            committed(store, made);
          },
          [this, store, calls, id](const caf::error& fault) {
            watch.done(id);
            failed(store, calls, fault);
          });
    }
  }

  /// How long what waits may wait for the commit that is under way.
  time_point::duration lingers() const {
    if (under_way == 0 || waiting_events >= options.most)
      return time_point::duration{0};
    return waiting.front().since + options.linger - self->clock().now();
  }

  void wake_in(time_point::duration wait) {
    const auto at = self->clock().now() + wait;
    if (timer && *timer <= at)
      return;
    timer = at;
    self->delayed_send(self, wait, atom::tick_v);
  }

  ingest_batch next_batch() {
    ingest_batch out;
    std::size_t events = 0;
    while (!waiting.empty()
           && (out.empty()
               || events + waiting.front().call->count() <= options.most)) {
      events += waiting.front().call->count();
      out.push_back(std::move(waiting.front().call));
      waiting.pop_front();
    }
    waiting_events -= events;
    return out;
  }

  void freed(const ingest_store_actor& store) {
    options.counters->ingests = --under_way;
    idle.push_back(store);
  }

  void committed(const ingest_store_actor& store, const fresh_ptr& made) {
    options.counters->storage_up = true;
    freed(store);
    self->send(root, atom::fresh_v, made);
    options.ring();
    commit();
  }

  /// Whether it was stored is unknown: the callers repeat with their keys.
  void failed(const ingest_store_actor& store, const ingest_batch& calls,
              const caf::error& fault) {
    options.log(level::warn, name, "a commit failed: " + text_of(fault));
    for (const auto& call : calls)
      call->finish(ingest_call::verdict::unavailable, {});
    freed(store);
    commit();
  }

  ingester_ptr self;
  ingester_options options;
  root_supervisor_actor root;
  request_watch watch;
  std::vector<ingest_store_actor> idle;
  std::deque<waiting_call> waiting;
  std::size_t waiting_events = 0;
  std::uint64_t under_way = 0; ///< commits
  bool ticking = false;
  std::optional<time_point> timer;
};

ingester_actor::behavior_type ingester(ingester_ptr self,
                                       ingester_options options,
                                       std::vector<ingest_store_actor> stores,
                                       root_supervisor_actor root) {
  auto& st = self->state;
  st.options = std::move(options);
  st.idle = std::move(stores);
  st.root = std::move(root);
  st.options.counters->ingests = 0; // of the one before it
  return {
      [&st](atom::ingest, const ingest_call_ptr& call) { st.gather(call); },
      [&st](atom::apply, const live_options_ptr& fresh) {
        apply_live(*fresh, st.options);
      },
      [&st](atom::tick) { st.tick(); },
      [&st](atom::again) { st.watch.look(st.self); },
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
