#pragma once

#include "actors/endpoint_cache.hpp"
#include "actors/keeper.hpp"
#include "actors/metered.hpp"
#include "actors/reader.hpp"
#include "actors/recent_events.hpp"
#include "actors/request_watch.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace postrider::actors {

struct reader_state;
using reader_ptr = metered_pointer<reader_actor, reader_state>;

/// What the reader knows. reader_questions.cpp decides what to ask the store
/// next, reader_order.cpp in which order the answers go out.
struct reader_state {
  static constexpr const char* name = "reader";
  static constexpr std::chrono::seconds patience{60};
  /// After an answer that was lost.
  static constexpr std::chrono::milliseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{2'000};

  explicit reader_state(reader_ptr owner) : self{owner} {}
  time_point now() const { return self->clock().now(); }

  // -- what others say -------------------------------------------------------
  void own(const owned_list& all);
  void left(const id_list& ids);
  void wake();
  void fresh(const fresh_ptr& what);
  void endpoints_changed();
  void gate(const gate_change& what);
  void tick(std::uint64_t generation);
  void forget_early(const std::set<std::uint16_t>& of);

  // -- what to ask next ------------------------------------------------------
  void go_on();
  template <class... Ts>
  auto ask(Ts&&... xs) {
    busy = true;
    window.asking();
    return watch.ask(self, patience, store, std::forward<Ts>(xs)...);
  }

  /// An error handler that goes on after a pause.
  auto or_later() {
    return [this](const caf::error& fault) {
      busy = false;
      watch.done();
      if (options.counters->storage_up.exchange(false))
        options.log(level::warn, name,
                    "reading waits for the database: " + text_of(fault));
      // What the lost answer held is found again; and it may have been a crash.
      window.restart(window.cursor());
      anew = true;
      poll = std::clamp(poll * 2, shortest_pause, longest_pause);
      woken = false;
      sleep();
    };
  }

  void answered();
  void ask_start();
  bool take_handed();
  /// Whether what was drawn is left for a moment to what this node commits just
  /// now: it will be handed over.
  bool wait_for_own();
  void look_again();
  bool ask_rows();
  void ask_late(const read_range& range);
  bool ask_shares();
  bool ask_due();
  bool ask_sweep();
  bool ask_clock();
  /// What is due, to the drivers, with the endpoints as they are now.
  void tell_clock(const notice_list& due);
  void tell_gates();
  void ask_peek();
  void ask_changes();
  void tell_changed(const endpoint& what);

  // -- the order of what was found -------------------------------------------
  /// For rows of a statement that told nothing of transactions.
  void look_and_follow(delivery_list rows);
  /// What a transaction wrote behind the cursor goes before what it wrote
  /// beyond: both have become visible at once.
  void follow_late(delivery_list rows, int rounds = 0);
  /// They are still in the table: as if they had never been read.
  void give_back(const delivery_list& rows);
  void saw(const store::new_rows& got);
  /// Fetches what the rows need to be sent, then gives them to their drivers.
  void hand_out(delivery_list rows, bool were_read = true);
  void distribute(const delivery_list& rows, const contents& got,
                  time_point read_at);
  /// A message may have been lost: rows that were given away and are not heard
  /// of are asked for.
  void doubt();
  void gauge();
  void sleep();

  reader_ptr self;
  reader_options options;
  read_store_actor store;
  request_watch watch;
  std::map<std::uint16_t, partition_actor> drivers;
  partition_list partitions;
  /// Endpoints whose gate was set while rows were on their way: those don't go
  /// out, as their order is no longer certain.
  std::set<std::int64_t> regated;
  std::set<std::uint16_t> gained; ///< their beginning is not known yet
  /// Gates that drivers of these have set already, for what they go on with.
  std::map<std::int64_t, gate_change> early;
  read_window window{read_limits{}};
  handover handed; ///< by the ingester, and not stepped over yet
  recent_events recent;
  endpoint_cache cache;
  sweep_query swept;
  time_point due_at{};
  time_point sweep_at{};
  time_point refresh_at{};
  time_point clock_at{};
  time_point doubt_at{};
  std::chrono::milliseconds poll{2};
  std::minstd_rand dice{1};
  time_point armed_for{};
  std::uint64_t ticks = 0;
  int turn = 4; ///< whose turn it was
  bool armed = false;
  bool busy = false;
  bool woken = false;
  bool waiting = false; ///< for what this node is committing
  bool may_wait = true; ///< it has not just waited to no end
  bool anew = false;    ///< it may be another life of the database
};

} // namespace postrider::actors
