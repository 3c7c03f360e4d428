#include "actors/node_state.hpp"

#include "actors/keeper.hpp"

#include <utility>

namespace postrider::actors {

void node_state::drained(std::uint16_t partition) {
  const auto place = mine.find(partition);
  // One that has said so twice may have a successor by now.
  if (place == mine.end() || place->second.driver != self->current_sender())
    return;
  end(place->second.driver);
  const auto lease = place->second.lease;
  mine.erase(place);
  publish();
  give({lease});
  leave_if_done();
}

void node_state::give(const lease_list& leases) {
  // A heartbeat that is on its way may still list them.
  meters().released.add(leases.size());
  for (const auto& one : leases)
    options.partition.log(level::info, name,
                          "gives partition " + std::to_string(one.partition)
                              + " back");
  for (const auto& one : leases)
    releasing.insert(one.partition);
  returning.insert(returning.end(), leases.begin(), leases.end());
  give_next();
}

void node_state::give_next() {
  if (giving || returning.empty())
    return;
  giving = true;
  const auto leases = std::exchange(returning, {});
  const auto done = [this, leases] {
    for (const auto& one : leases)
      releasing.erase(one.partition);
    giving = false;
    give_next();
  };
  self->request(store, options.lease_time, atom::release_v, leases)
      .then([done](bool) { done(); },
            [this, done](const caf::error& fault) {
              done();
              options.partition.log(level::warn, name,
                                    "a lease runs out by itself: "
                                        + text_of(fault));
            });
}

caf::result<bool> node_state::stop() {
  if (gone)
    return *gone;
  stopped.push_back(self->make_response_promise<bool>());
  if (std::exchange(stopping, true))
    return stopped.back();
  self->delayed_send(self, options.stop_within, atom::leave_v);
  hungry = false;
  // At once, so that the others don't count this node any more.
  ask();
  self->send(reader, atom::own_v, owned_list{});
  for (auto& [partition, one] : mine) {
    one.draining = true;
    self->send(one.driver, atom::drain_v);
  }
  leave_if_done();
  return stopped.back();
}

/// A supervisor that has begun anew learns of its leases only by its first
/// heartbeat, and what is in flight under them is to come to its end as well.
void node_state::leave_if_done() {
  if (stopping && mine.empty()
      && (knows_leases || !options.partition.flights->in_use()))
    leave(true);
}

void node_state::leave(bool clean) {
  if (std::exchange(left, true))
    return;
  options.partition.counters->leased = false;
  for (const auto& [partition, one] : mine)
    end(one.driver);
  // What is known is written while its lease is held: another node would
  // send it again (G6). What those before this supervisor knew may not be.
  const auto& known = *options.partition.outcomes;
  if (clean && known.ended() >= known.came())
    return release_all(true);
  const auto settler = options.partition.outcomes->settler();
  if (!settler)
    return release_all(false);
  self->request(*settler, std::chrono::seconds{1}, atom::flush_v)
      .then([this, clean](bool) { release_all(clean); },
            [this](const caf::error&) { release_all(false); });
}

void node_state::release_all(bool clean) {
  self->request(store, std::chrono::seconds{2}, atom::leave_v)
      .then([this, clean](bool) { answer(clean); },
            [this](const caf::error&) { answer(false); });
}

void node_state::answer(bool clean) {
  gone = clean;
  for (auto& one : std::exchange(stopped, {}))
    one.deliver(clean);
}

} // namespace postrider::actors
