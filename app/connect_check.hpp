#pragma once

#include "config/config.hpp"
#include "store/inspection.hpp"

#include <vector>

namespace postrider::app {

/// Tries what the configuration names and a node would need: the database, the
/// trusted certificates, the addresses to listen on. Changes nothing; does not
/// throw. Without a database URL (an embedded one) that is left out.
std::vector<store::finding> check_connections(const config::config& with);

} // namespace postrider::app
