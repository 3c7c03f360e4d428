#include "actors/reader.hpp"

#include "actors/reader_state.hpp"

#include <caf/actor_system.hpp>

namespace postrider::actors {

void reader_state::own(const owned_list& all) {
  std::map<std::uint16_t, partition_actor> next;
  std::set<std::uint16_t> fresh;
  for (const auto& one : all) {
    next.emplace(one.partition, one.driver);
    // A new driver knows nothing of what the one before it was given.
    if (const auto had = drivers.find(one.partition);
        had == drivers.end() || had->second != one.driver)
      fresh.insert(one.partition);
  }
  if (next == drivers)
    return; // said once more
  forget_early(fresh);
  // Not those that are gained already: a gate may have been set for them.
  for (const auto& [partition, driver] : drivers)
    if (!next.contains(partition) || fresh.contains(partition))
      window.drop(partition);
  gained.insert(fresh.begin(), fresh.end());
  // Of what is gained the health has to be known before anything is sent.
  if (!gained.empty())
    refresh_at = {};
  std::erase_if(gained, [&](auto one) { return !next.contains(one); });
  drivers = std::move(next);
  partitions.clear();
  for (const auto& [partition, driver] : drivers)
    partitions.push_back(partition);
  gauge();
  wake();
}

void reader_state::left(const id_list& ids) {
  for (const auto id : ids)
    window.leave(id);
  gauge();
  go_on();
}

void reader_state::wake() {
  woken = true;
  go_on();
}

/// What was committed elsewhere meanwhile is found by polling.
void reader_state::fresh(const fresh_ptr& what) {
  if (what->made.empty() || options.overtaken(what->timeline))
    return wake();
  handed.add(what->made);
  recent.add(what->events);
  go_on();
}

void reader_state::endpoints_changed() {
  refresh_at = {};
  go_on();
}

void reader_state::gate(const gate_change& what) {
  window.set_gate(what.partition, what.endpoint, what.how, what.given_back);
  if (gained.contains(what.partition))
    early.insert_or_assign(what.endpoint, what);
  if (busy)
    regated.insert(what.endpoint);
  gauge();
  // From here on nothing goes to the driver that was read before.
  if (const auto to = drivers.find(what.partition); to != drivers.end())
    self->send(to->second, atom::gate_v, what.endpoint);
  wake();
}

void reader_state::forget_early(const std::set<std::uint16_t>& of) {
  std::erase_if(early, [&](const auto& item) {
    return of.contains(item.second.partition);
  });
}

void reader_state::tick(std::uint64_t generation) {
  if (generation == ticks) {
    armed = false;
    wake();
  }
}

namespace {

reader_actor::behavior_type reader(reader_ptr self, reader_options options,
                                   read_store_actor store) {
  auto& st = self->state;
  st.options = std::move(options);
  st.store = std::move(store);
  st.window = read_window{st.options.window};
  st.poll = st.options.poll_min;
  st.dice.seed(st.options.seed);
  return {
      [&st](atom::own, const owned_list& all) { st.own(all); },
      [&st](atom::left, const id_list& ids) { st.left(ids); },
      [&st](atom::gate, const gate_change& what) { st.gate(what); },
      [&st](atom::wake) { st.wake(); },
      [&st](atom::fresh, const fresh_ptr& what) { st.fresh(what); },
      [&st](atom::apply, const live_options_ptr& fresh) {
        apply_live(*fresh, st.options);
        st.window.limit(st.options.window);
        st.go_on();
      },
      [&st](atom::changed) { st.endpoints_changed(); },
      [&st](atom::tick, std::uint64_t generation) { st.tick(generation); },
      [&st](atom::again) { st.watch.look(st.self); },
  };
}

} // namespace

reader_actor spawn_reader(caf::actor_system& system, reader_options options,
                          read_store_actor store) {
  return system.spawn(reader, std::move(options), std::move(store));
}

} // namespace postrider::actors
