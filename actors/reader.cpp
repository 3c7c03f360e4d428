#include "actors/reader.hpp"

#include "actors/endpoint_cache.hpp"
#include "actors/keeper.hpp"
#include "actors/metered.hpp"
#include "core/failpoint.hpp"
#include "core/public_id.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace postrider::actors {

namespace {

using namespace std::chrono;

constexpr seconds patience{60};
// Late ranges that are followed before what was found goes out; beyond that
// what may be out of order is read again.
constexpr int most_rounds = 16;

struct reader_state;
using reader_ptr = metered_pointer<reader_actor, reader_state>;

struct reader_state {
  static constexpr const char* name = "reader";

  explicit reader_state(reader_ptr owner) : self{owner} {}

  time_point now() const { return self->clock().now(); }

  // -- what others say -------------------------------------------------------

  void own(const owned_list& all) {
    std::map<std::uint16_t, partition_actor> next;
    for (const auto& one : all) {
      next.emplace(one.partition, one.driver);
      // A new driver knows nothing of what the one before it was given.
      if (const auto had = drivers.find(one.partition);
          had == drivers.end() || had->second != one.driver)
        gained.insert(one.partition);
    }
    for (const auto& [partition, driver] : drivers)
      if (!next.contains(partition) || gained.contains(partition))
        window.drop(partition);
    std::erase_if(gained, [&](auto one) { return !next.contains(one); });
    drivers = std::move(next);
    partitions.clear();
    for (const auto& [partition, driver] : drivers)
      partitions.push_back(partition);
    gauge();
    wake();
  }

  void left(const id_list& ids) {
    for (const auto id : ids)
      window.leave(id);
    gauge();
    go_on();
  }

  void wake() {
    woken = true;
    go_on();
  }

  void endpoints_changed() {
    refresh_at = {};
    go_on();
  }

  void tick(std::uint64_t generation) {
    if (generation == ticks) {
      armed = false;
      wake();
    }
  }

  // -- what to ask next ------------------------------------------------------

  void go_on() {
    if (busy || partitions.empty())
      return;
    if (!gained.empty())
      return ask_start();
    if (now() >= refresh_at)
      return ask_changes();
    if (auto range = window.next_late())
      return ask_late(*range);
    // By turns: in a steady flow there is always something new, and what is due
    // or was left out must not wait for its end.
    for (int tried = 0; tried < 4; ++tried) {
      turn = (turn + 1) % 4;
      if (turn == 0   ? ask_rows()
          : turn == 1 ? ask_shares()
          : turn == 2 ? ask_due()
                      : ask_sweep())
        return;
    }
    if (woken)
      return ask_peek();
    sleep();
  }

  template <class... Ts>
  auto ask(Ts&&... xs) {
    busy = true;
    window.asking();
    return self->request(store, patience, std::forward<Ts>(xs)...);
  }

  /// An error handler that goes on after a pause.
  auto or_later() {
    return [this](const caf::error& fault) {
      busy = false;
      if (options.counters->storage_up.exchange(false))
        options.log(level::warn, name,
                    "reading waits for the database: " + text_of(fault));
      // What the lost answer held is found again.
      window.restart(window.cursor());
      poll = std::clamp<milliseconds>(poll * 2, 100ms, 2'000ms);
      woken = false;
      sleep();
    };
  }

  void answered() {
    busy = false;
    if (!options.counters->storage_up.exchange(true))
      options.log(level::info, name, "the database answers");
  }

  void ask_start() {
    // An answer that came after they were lost may have left something.
    for (const auto one : gained)
      window.drop(one);
    ask(atom::start_v, partition_list{gained.begin(), gained.end()})
        .then(
            [this, asked = gained](std::int64_t from) {
              answered();
              for (const auto one : asked)
                gained.erase(one);
              window.restart(from);
              go_on();
            },
            or_later());
  }

  bool ask_rows() {
    auto range = window.next();
    if (!range)
      return false;
    POSTRIDER_FAILPOINT("reader.asks");
    range->limit = std::min(range->limit, options.most);
    ask(atom::read_v, read_query{partitions, *range, window.skipped()})
        .then(
            [this, range = *range](const store::new_rows& got) {
              answered();
              saw(got);
              follow_late(window.take(range, got.rows));
            },
            or_later());
    return true;
  }

  void ask_late(const read_range& range) {
    ask(atom::read_v, read_query{partitions, range, window.skipped()})
        .then(
            [this, range](const store::new_rows& got) {
              answered();
              saw(got);
              follow_late(window.take_late(range, got.rows));
            },
            [this, range, later = or_later()](const caf::error& fault) {
              window.put_back(range);
              later(fault);
            });
  }

  bool ask_shares() {
    auto shares = window.next_shares();
    if (shares.empty())
      return false;
    share_query query;
    query.upto = window.cursor();
    for (const auto& one : shares)
      query.wanted.push_back(
          {one.partition, one.endpoint, one.after, one.limit});
    ask(atom::share_v, std::move(query))
        .then(
            [this, shares = std::move(shares)](const delivery_list& rows) {
              answered();
              look_and_follow(window.take_shares(shares, rows));
            },
            or_later());
    return true;
  }

  bool ask_due() {
    if (now() < due_at || window.room() == 0)
      return false;
    due_query query{partitions, window.due_after(), window.due_skipped(),
                    std::max(options.most, window.room_and_known())};
    ask(atom::due_v, std::move(query))
        .then(
            [this](const store::due_rows& got) {
              answered();
              auto rows = window.take_due(got.rows, got.upto, got.now);
              due_at = got.upto < got.now && !rows.empty()
                           ? now()
                           : now() + options.due_every;
              hand_out(std::move(rows));
            },
            or_later());
    return true;
  }

  bool ask_sweep() {
    if (now() < sweep_at || window.room() == 0)
      return false;
    if (!drivers.contains(swept.partition))
      swept.after = 0;
    const auto next =
        std::upper_bound(partitions.begin(), partitions.end(), swept.partition);
    if (swept.after == 0)
      swept.partition = next == partitions.end() ? partitions.front() : *next;
    swept.limit = 1'000;
    ask(atom::sweep_v, swept)
        .then(
            [this](const delivery_list& rows) {
              answered();
              const bool whole = std::ssize(rows) < swept.limit
                                 || rows.back().id > window.cursor();
              swept.after = whole ? 0 : rows.back().id;
              sweep_at = now() + options.sweep_every;
              look_and_follow(window.take_swept(rows));
            },
            or_later());
    return true;
  }

  void ask_peek() {
    woken = false;
    ask(atom::peek_v)
        .then(
            [this](const store::new_rows& got) {
              answered();
              const auto before = window.allocated();
              saw(got);
              // An id was drawn: its commit is near. What stays open for long
              // is no reason to look more often.
              poll = window.allocated() > before
                         ? options.poll_min
                         : std::min(std::max(poll * 2, options.poll_min),
                                    options.poll_max);
              go_on();
            },
            or_later());
  }

  void ask_changes() {
    ask(atom::changed_v, cache.version())
        .then(
            [this](const endpoint_changes& got) {
              answered();
              refresh_at = now() + options.endpoints_every;
              for (const auto& one : got.changed)
                tell_changed(*one);
              for (auto& [partition, changed] : cache.refresh(got))
                if (const auto to = drivers.find(partition);
                    to != drivers.end())
                  self->send(to->second, atom::endpoints_v, std::move(changed));
              go_on();
            },
            or_later());
  }

  void tell_changed(const endpoint& what) {
    log_fields about;
    about.endpoint = endpoint_public_id(what.public_id);
    options.log(level::info, name,
                what.deleted ? "an endpoint was deleted"
                             : "an endpoint was changed",
                about);
  }

  // -- the order of what was found -------------------------------------------

  /// For rows of a statement that told nothing of transactions.
  void look_and_follow(delivery_list rows) {
    if (rows.empty() || window.watched() == 0)
      return follow_late(std::move(rows));
    ask(atom::peek_v)
        .then(
            [this, rows](const store::new_rows& got) {
              answered();
              saw(got);
              follow_late(rows);
            },
            [this, rows, later = or_later()](const caf::error& fault) {
              give_back(rows);
              later(fault);
            });
  }

  /// What a transaction wrote behind the cursor goes before what it wrote
  /// beyond: both have become visible at once.
  void follow_late(delivery_list rows, int rounds = 0) {
    const auto range = rows.empty() || rounds == most_rounds
                           ? std::nullopt
                           : window.next_late();
    if (!range)
      return hand_out(window.in_order(std::move(rows)));
    ask(atom::read_v, read_query{partitions, *range, window.skipped()})
        .then(
            [this, rows, range = *range, rounds](const store::new_rows& got) {
              answered();
              saw(got);
              auto all = window.take_late(range, got.rows);
              all.insert(all.end(), rows.begin(), rows.end());
              follow_late(std::move(all), rounds + 1);
            },
            [this, rows, range = *range,
             later = or_later()](const caf::error& fault) {
              window.put_back(range);
              give_back(rows);
              later(fault);
            });
  }

  /// They are still in the table: as if they had never been read.
  void give_back(const delivery_list& rows) {
    for (const auto& row : rows)
      window.give_back(row);
  }

  void saw(const store::new_rows& got) {
    window.saw({got.seen.xmax, got.seen.running, got.seen.next}, got.allocated);
    options.counters->late = window.late_found();
  }

  /// Fetches what the rows need to be sent, then gives them to their drivers.
  void hand_out(delivery_list rows) {
    // What was asked before a partition changed hands is not its present state.
    std::erase_if(rows, [this](const delivery& row) {
      const bool foreign =
          !drivers.contains(row.partition) || gained.contains(row.partition);
      if (foreign)
        window.leave(row.id);
      return foreign;
    });
    gauge();
    if (rows.empty())
      return go_on();
    options.counters->meters.read.claimed(rows);
    poll = options.poll_min;
    cache.trim();
    content_query query;
    std::set<uuid> events;
    std::set<std::int64_t> unknown;
    for (const auto& row : rows) {
      if (events.insert(row.event).second)
        query.events.push_back(row.event);
      if (!cache.find(row.endpoint) && unknown.insert(row.endpoint).second)
        query.endpoints.push_back(row.endpoint);
    }
    ask(atom::content_v, std::move(query))
        .then(
            [this, rows, read_at = now()](const contents& got) {
              answered();
              cache.add(got.endpoints);
              distribute(rows, got, read_at);
              go_on();
            },
            [this, rows, later = or_later()](const caf::error& fault) {
              give_back(rows);
              later(fault);
            });
  }

  void distribute(const delivery_list& rows, const contents& got,
                  time_point read_at) {
    std::map<std::uint16_t, work_list> shares;
    for (const auto& row : rows) {
      // Its partition changed hands meanwhile: it is read again, if at all.
      if (!window.contains(row.id))
        continue;
      const auto event = got.events.find(row.event);
      shares[row.partition].push_back(
          {row, event == got.events.end() ? nullptr : event->second,
           cache.find(row.endpoint), read_at});
    }
    for (auto& [partition, share] : shares)
      self->send(drivers.at(partition), atom::claimed_v, std::move(share));
  }

  void gauge() {
    options.counters->in_window = window.size();
    options.counters->window_bytes = window.bytes();
  }

  void sleep() {
    auto until = now() + poll;
    // What is overdue waits for room or for the database, not for a moment.
    for (const auto at : {due_at, sweep_at, refresh_at})
      if (at > now())
        until = std::min(until, at);
    if (armed && armed_for <= until)
      return;
    armed = true;
    armed_for = until;
    const auto wait = std::max<nanoseconds>(until - now(), 1ms);
    self->delayed_send(self, wait, atom::tick_v, ++ticks);
  }

  reader_ptr self;
  reader_options options;
  read_store_actor store;
  std::map<std::uint16_t, partition_actor> drivers;
  partition_list partitions;
  std::set<std::uint16_t> gained; ///< their beginning is not known yet
  read_window window{read_limits{}};
  endpoint_cache cache;
  sweep_query swept;
  time_point due_at{};
  time_point sweep_at{};
  time_point refresh_at{};
  milliseconds poll{2};
  time_point armed_for{};
  std::uint64_t ticks = 0;
  int turn = 3; ///< whose turn it was
  bool armed = false;
  bool busy = false;
  bool woken = false;
};

reader_actor::behavior_type reader(reader_ptr self, reader_options options,
                                   read_store_actor store) {
  auto& st = self->state;
  st.options = std::move(options);
  st.store = std::move(store);
  st.window = read_window{st.options.window};
  st.poll = st.options.poll_min;
  return {
      [&st](atom::own, const owned_list& all) { st.own(all); },
      [&st](atom::left, const id_list& ids) { st.left(ids); },
      [&st](atom::wake) { st.wake(); },
      [&st](atom::apply, const live_options_ptr& fresh) {
        apply_live(*fresh, st.options);
        st.window.limit(st.options.window);
        st.go_on();
      },
      [&st](atom::changed) { st.endpoints_changed(); },
      [&st](atom::tick, std::uint64_t generation) { st.tick(generation); },
  };
}

} // namespace

void apply_live(const live_options& from, reader_options& to) {
  to.window = from.window;
  to.poll_min = from.poll_min;
  to.poll_max = from.poll_max;
}

reader_actor spawn_reader(caf::actor_system& system, reader_options options,
                          read_store_actor store) {
  return system.spawn(reader, std::move(options), std::move(store));
}

} // namespace postrider::actors
