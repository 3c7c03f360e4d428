#include "actors/node_state.hpp"

#include "actors/ending.hpp"
#include "actors/keeper.hpp"
#include "core/caution.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <utility>

namespace postrider::actors {

void node_state::drive(const store::lease& lease) {
  auto what = options.partition;
  what.lease = lease;
  what.begin_before = begin_before;
  auto driver = spawn_partition(
      self->system(), std::move(what),
      {workers[lease.partition % workers.size()], reader, self, health, store});
  if (lease.crashes >= careful_after)
    options.partition.log(
        level::warn, name,
        "partition " + std::to_string(lease.partition) + " was taken from "
            + std::to_string(lease.crashes)
            + " holders in a row that had not given it back: carefully, one "
              "delivery at a time");
  self->monitor(driver);
  self->send(driver, atom::renew_v, good_until);
  mine.insert_or_assign(lease.partition, driven{lease, driver, false});
  changed = true;
}

void node_state::end(const partition_actor& driver) {
  self->demonitor(driver->address());
  end_actor(driver);
  changed = true;
}

void node_state::down(const caf::down_msg& what) {
  const auto place =
      std::find_if(mine.begin(), mine.end(), [&](const auto& item) {
        return item.second.driver == what.source;
      });
  if (place == mine.end())
    return;
  ++options.partition.counters->restarts;
  const auto wait = failures.failed(now());
  if (!wait) {
    options.partition.log(level::error, name, "drivers fail too often");
    self->quit(caf::exit_reason::unhandled_exception);
    return;
  }
  options.partition.log(level::error, name,
                        "the driver of partition "
                            + std::to_string(place->first)
                            + " failed and is started again");
  const bool draining = place->second.draining;
  drive(place->second.lease);
  // What was in flight is still brought to its end.
  if (draining) {
    place->second.draining = true;
    self->send(place->second.driver, atom::drain_v);
  }
  publish();
}

void node_state::publish() {
  options.partition.counters->partitions = mine.size();
  // Whoever holds the first partition samples for all.
  // One samples for all. A lone one does whatever it holds: what has come to a
  // standstill should show (LOAD-04).
  auto& known = *options.partition.counters;
  known.meters.backlog.wanted = mine.contains(0) || known.others == 0;
  if (!std::exchange(changed, false))
    return;
  owned_list all;
  for (const auto& [partition, one] : mine)
    if (!one.draining)
      all.push_back({partition, one.driver});
  self->send(reader, atom::own_v, std::move(all));
}

void node_state::apply(const live_options_ptr& fresh) {
  apply_live(*fresh, options);
  for (const auto& [partition, one] : mine)
    self->send(one.driver, atom::apply_v, fresh);
}

} // namespace postrider::actors
