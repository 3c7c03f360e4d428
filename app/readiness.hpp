#pragma once

#include "actors/counters.hpp"
#include "app/api/ports.hpp"

#include <string>
#include <vector>

namespace postrider::app {

struct node_facts {
  const actors::counters& state;
  std::string gave_up; ///< why the engine has; empty while it has not
  std::string stalled; ///< what stands still; empty while all moves
  std::string role;
  bool leaving = false;
  bool refuse_unsafe = false; ///< unsafe settings make it unready
};

/// Whether a node should be given work, as named checks: the engine has not
/// given up, the schema was seen, the database answers, nothing stands still,
/// the node holds its share of the partitions (none, for role `api` or while it
/// is drained), its clock is right enough for receivers to accept its
/// signatures (TIME-03), and it is not leaving. The detail of `role` is the
/// role. A database whose settings give durability away is always named.
std::vector<api::health_check> readiness(const node_facts& of);

} // namespace postrider::app
