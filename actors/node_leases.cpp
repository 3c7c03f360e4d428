#include "actors/node_state.hpp"

#include "actors/keeper.hpp"
#include "core/fair_share.hpp"

#include <algorithm>
#include <utility>

namespace postrider::actors {

void node_state::beat() {
  if (left)
    return;
  self->delayed_send(self, options.heartbeat, atom::tick_v);
  if (now() >= good_until) // they may be another's by now
    options.partition.counters->leased = false;
  if (beating)
    return;
  beating = true;
  // Counted from before the question: the database's renewal is later.
  const auto asked = now();
  self->request(store, options.lease_time, atom::beat_v)
      .then(
          [this, asked](const store::heartbeat& got) {
            beating = false;
            renewed(asked, got);
          },
          [this](const caf::error& fault) {
            beating = false;
            out_of_touch = true;
            options.partition.log(level::warn, name,
                                  "no heartbeat: " + text_of(fault));
          });
}

lease_meters& node_state::meters() {
  return options.partition.counters->meters.lease;
}

void node_state::renewed(time_point asked, const store::heartbeat& got) {
  note_return();
  meters().renewed.add(got.held.size());
  compare_clocks(got.clock_ahead);
  drop_lost(got.held);
  for (const auto& lease : got.held)
    if (!mine.contains(lease.partition) && !stopping
        && !releasing.contains(lease.partition))
      drive(lease);
  // A margin before its end nothing new is begun, so that a node that can't
  // renew stops before another one starts.
  good_until = asked + options.lease_time - options.lease_time / 5;
  for (const auto& [partition, one] : mine)
    self->send(one.driver, atom::renew_v, good_until);
  if (!stopping)
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
  const auto active =
      std::count_if(mine.begin(), mine.end(),
                    [](const auto& item) { return !item.second.draining; });
  const auto change = fair_share_change(got.partitions, got.live_nodes,
                                        static_cast<int>(active));
  if (change > 0 && got.free > 0)
    acquire(std::min(change, got.free));
  auto surplus = -change;
  for (auto place = mine.rbegin(); surplus > 0 && place != mine.rend(); ++place)
    if (!place->second.draining) {
      place->second.draining = true;
      self->send(place->second.driver, atom::drain_v);
      changed = true; // nothing more is read for it
      --surplus;
    }
  options.partition.counters->leased = change <= 0;
}

/// What kept this node from the database may have kept the others from it: as
/// soon as they are back they renew what has expired meanwhile, and write what
/// they know. Whoever took it from them before would send it again (G6).
void node_state::note_return() {
  const bool known =
      std::exchange(out_of_touch, false) || in_touch != time_point{};
  const bool away = known && now() >= in_touch + options.lease_time / 2;
  in_touch = now();
  if (away)
    acquire_from =
        now() + std::max(options.lease_time / 4, options.heartbeat * 2);
}

void node_state::acquire(int count) {
  if (now() < acquire_from)
    return;
  const auto asked = now();
  self->request(store, options.lease_time, atom::acquire_v, count)
      .then(
          [this, asked](const lease_list& got) {
            meters().acquired.add(got.size());
            if (!got.empty())
              options.partition.log(level::info, name,
                                    "took the lease of "
                                        + std::to_string(got.size())
                                        + " partitions");
            if (stopping) {
              give(got);
              return;
            }
            good_until = std::max(good_until, asked + options.lease_time
                                                  - options.lease_time / 5);
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
