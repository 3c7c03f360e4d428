#pragma once

#include "app/doctor/check.hpp"

#include <string>

namespace postrider::app {

/// Reach, version, clock, settings, rights, schema and partitions of the
/// database. What needs an earlier one that failed is left out.
check_results check_database(const std::string& url);

} // namespace postrider::app
