#include "actors/node_state.hpp"

#include "actors/keeper.hpp"
#include "core/caution.hpp"
#include "core/fair_share.hpp"

#include <algorithm>
#include <utility>

namespace postrider::actors {

void node_state::beat() {
  // One of before the plan was changed comes for nothing.
  if (left || now() < next_beat)
    return;
  plan_beat();
  if (now() >= good_until) // they may be another's by now
    options.partition.counters->leased = false;
  watch_progress();
  ask();
}

/// What others do because of this node's heartbeat, and this one because of
/// theirs, should be done within one: so it comes a little early, and sooner
/// while there is something to wait for.
std::chrono::milliseconds node_state::pause() const {
  return hungry ? std::max<std::chrono::milliseconds>(
             options.heartbeat / 8, std::chrono::milliseconds{50})
                : options.heartbeat * 7 / 8;
}

void node_state::plan_beat() {
  next_beat = now() + pause();
  self->delayed_send(self, pause(), atom::tick_v);
}

void node_state::watch_progress() {
  auto now_stuck = options.stalled();
  if (now_stuck.empty() != stuck.empty())
    options.partition.log(now_stuck.empty() ? level::info : level::error, name,
                          now_stuck.empty()
                              ? "all moves again; takes leases again"
                              : now_stuck + "; gives its leases up");
  stuck = std::move(now_stuck);
  if (stuck.empty() || stopping)
    return;
  options.partition.counters->leased = false;
  shed(active());
  publish();
}

store::standing node_state::standing() {
  // What is stuck can't come to an end either: others are to have it.
  if (!stuck.empty())
    return store::standing::stalled;
  return stopping ? store::standing::leaving : store::standing::working;
}

void node_state::ask() {
  if (beating || left)
    return;
  beating = true;
  const auto how = standing();
  // Counted from before the question: the database's renewal is later.
  const auto asked = now();
  self->request(store, options.lease_time, atom::beat_v, how)
      .then(
          [this, asked, how](const store::heartbeat& got) {
            beating = false;
            answered(asked, how, got);
          },
          [this](const caf::error& fault) {
            beating = false;
            out_of_touch = true;
            reaches_store(false);
            options.partition.log(level::warn, name,
                                  "no heartbeat: " + text_of(fault));
            leave_if_done();
          });
}

void node_state::answered(time_point asked, store::standing how,
                          const store::heartbeat& got) {
  told = how;
  reaches_store(true);
  if (how != store::standing::stalled) {
    renewed(asked, got);
    knows_leases = true;
  }
  leave_if_done();
  // It has begun to stop, or moves again, while this was on its way.
  if (told != standing())
    ask();
}

/// The reader tells it of a node that reads; one without partitions asks the
/// database for nothing else.
void node_state::reaches_store(bool yes) {
  if (mine.empty())
    options.partition.counters->storage_up = yes;
}

void node_state::good_since(time_point asked) {
  // A margin before its end nothing new is begun, so that a node that can't
  // renew stops before another one starts.
  good_until = std::max(good_until, asked + options.lease_time * 4 / 5);
  begin_before->store(
      std::chrono::nanoseconds{good_until.time_since_epoch()}.count(),
      std::memory_order_relaxed);
}

lease_meters& node_state::meters() {
  return options.partition.counters->meters.lease;
}

void node_state::renewed(time_point asked, const store::heartbeat& got) {
  note_return();
  options.partition.counters->others = got.live_nodes - 1;
  meters().renewed.add(got.held.size());
  compare_clocks(got.clock_ahead);
  drop_lost(got.held);
  for (const auto& lease : got.held)
    if (!mine.contains(lease.partition)
        && !releasing.contains(lease.partition)) {
      drive(lease);
      // Those before this supervisor may have left something in flight.
      mine.at(lease.partition).draining = stopping;
    }
  meters().careful =
      std::count_if(got.held.begin(), got.held.end(), [](const auto& one) {
        return one.crashes >= careful_after;
      });
  good_since(asked);
  for (const auto& [partition, one] : mine) {
    self->send(one.driver, atom::renew_v, good_until);
    if (one.draining)
      self->send(one.driver, atom::drain_v);
  }
  // Each word that somebody acts on is said once more with each heartbeat, as
  // it may have been lost.
  changed = true;
  if (!stopping && stuck.empty())
    balance(got);
  publish();
  self->request(store, options.lease_time, atom::sweep_v)
      .then([](int) {}, [](const caf::error&) {});
}

void node_state::compare_clocks(std::chrono::milliseconds ahead) {
  auto& known = *options.partition.counters;
  known.clock_ahead = ahead.count();
  known.database_clock =
      std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::system_clock::now().time_since_epoch() - ahead
          - std::chrono::steady_clock::now().time_since_epoch())
          .count();
  const auto now_judged = judge_clock(ahead);
  // A jump is told once, wherever it leads.
  if (now_judged == skew && judge_clock(ahead - told_ahead) == clock_skew::none)
    return;
  skew = now_judged;
  told_ahead = ahead;
  options.partition.log(
      skew == clock_skew::none ? level::info : level::warn, name,
      "this node's clock is " + std::to_string(ahead.count())
          + " ms ahead of the database's"
          + (skew == clock_skew::none ? "" : "; see to its time service"));
}

void node_state::drop_lost(const lease_list& held) {
  for (auto place = mine.begin(); place != mine.end();) {
    const auto& one = place->second;
    if (std::find(held.begin(), held.end(), one.lease) != held.end()) {
      ++place;
      continue;
    }
    options.partition.log(level::warn, name,
                          "lost partition " + std::to_string(place->first));
    meters().lost.add();
    options.partition.flights->abandon(one.lease);
    end(one.driver);
    place = mine.erase(place);
  }
}

void node_state::balance(const store::heartbeat& got) {
  if (std::exchange(drain, got.drain) != got.drain)
    options.partition.log(level::info, name,
                          drain ? "is drained: gives its leases back and takes "
                                  "none"
                                : "is not drained any more");
  if (drain || !options.takes_leases) {
    hungry = false;
    shed(active());
    options.partition.counters->leased = true; // all that it should have
    return;
  }
  const auto change =
      fair_share_change(got.partitions, got.live_nodes, got.rank, active());
  if (change > 0 && got.free > 0)
    acquire(std::min(change, got.free));
  if (!std::exchange(hungry, change > got.free) && hungry)
    plan_beat();
  shed(-change);
  // One that has had its share stays ready while there is more to be had: when
  // a node leaves, all the others would else be unready at once.
  if (change <= 0)
    options.partition.counters->leased = true;
}

int node_state::active() const {
  return static_cast<int>(
      std::count_if(mine.begin(), mine.end(),
                    [](const auto& item) { return !item.second.draining; }));
}

void node_state::shed(int count) {
  for (auto place = mine.rbegin(); count > 0 && place != mine.rend(); ++place)
    if (!place->second.draining) {
      place->second.draining = true;
      self->send(place->second.driver, atom::drain_v);
      changed = true; // nothing more is read for it
      --count;
    }
}

/// What kept this node from the database may have kept the others from it: as
/// soon as they are back they renew what has expired meanwhile, and write what
/// they know. Whoever took it from them before would send it again (G6).
void node_state::note_return() {
  const bool failed = std::exchange(out_of_touch, false);
  const bool known = failed || in_touch != time_point{};
  const bool away = known && now() >= in_touch + options.lease_time / 2;
  // The others may not have come back either before it was away once more.
  const bool still = failed && in_touch < acquire_from;
  in_touch = now();
  if (away || still)
    acquire_from =
        now() + std::max(options.lease_time / 4, options.heartbeat * 2);
}

void node_state::acquire(int count) {
  if (now() < acquire_from)
    return;
  self->request(store, options.lease_time, atom::acquire_v, count)
      .then(
          [this](const lease_list& got) {
            meters().acquired.add(got.size());
            if (!got.empty())
              options.partition.log(level::info, name,
                                    "took the lease of "
                                        + std::to_string(got.size())
                                        + " partitions");
            if (stopping || drain || !stuck.empty()) {
              give(got);
              return;
            }
            // `good_until` stays: these are good for longer, but those that
            // were held before are not.
            for (const auto& lease : got)
              drive(lease);
            publish();
            options.partition.counters->leased = true;
          },
          [this](const caf::error& fault) {
            options.partition.log(level::warn, name,
                                  "no leases: " + text_of(fault));
          });
}

} // namespace postrider::actors
