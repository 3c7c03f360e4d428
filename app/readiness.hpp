#pragma once

#include "actors/counters.hpp"
#include "app/api/ports.hpp"

#include <string>
#include <vector>

namespace postrider::app {

/// Whether a node should be given work, as named checks: the engine has not
/// given up (`gave_up` says why it has), the schema was seen, the database
/// answers, the node holds its share of the partitions, its clock is right
/// enough for receivers to accept its signatures (TIME-03), and it is not
/// `leaving`. A database whose settings give durability away is always named,
/// and makes the node unready with `refuse_unsafe`.
std::vector<api::health_check> readiness(const actors::counters& state,
                                         const std::string& gave_up,
                                         bool leaving, bool refuse_unsafe);

} // namespace postrider::app
