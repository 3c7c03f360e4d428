#include "actors/node_state.hpp"

#include "actors/ending.hpp"
#include "actors/keeper.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <utility>

namespace postrider::actors {

void node_state::drive(const store::lease& lease) {
  auto what = options.partition;
  what.lease = lease;
  auto driver = spawn_partition(self->system(), std::move(what),
                                {workers[lease.partition % workers.size()],
                                 settler, reader, self, health});
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
  replace(place->second.lease);
}

void node_state::replace(const store::lease& lease) {
  self->request(settler, options.lease_time, atom::flush_v)
      .then([this, lease](bool) { replaced(lease); },
            [this, lease](const caf::error& fault) {
              if (fault == caf::sec::request_timeout)
                replace(lease);
            });
}

void node_state::replaced(const store::lease& lease) {
  const auto place = mine.find(lease.partition);
  if (place == mine.end() || place->second.lease != lease)
    return;
  if (place->second.draining) {
    drained(lease.partition);
    return;
  }
  drive(lease);
  publish();
}

void node_state::publish() {
  options.partition.counters->partitions = mine.size();
  // Whoever holds the first partition samples for all.
  options.partition.counters->meters.backlog.wanted = mine.contains(0);
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
