#pragma once

#include "app/doctor/check.hpp"
#include "core/retention.hpp"

#include <string>

namespace postrider::app {

/// Reach, version, clock, settings, rights, schema, partitions of the database,
/// and whether what is past its time is dropped. What needs an earlier one that
/// failed is left out.
check_results check_database(const std::string& url,
                             const retention_rules& kept);

} // namespace postrider::app
