#pragma once

#include "tests/faults/ledger_file.hpp"

#include <string>

namespace postrider::testing {

/// Makes the database note each change of a lease's owner and the moment at
/// which each attempt is written. Before the first node starts.
void install_fence_log(const std::string& url);

/// Writes what the database holds into a ledger: events, open deliveries,
/// attempts, and the fence log.
void dump_database(const std::string& url, ledger_file& into);

} // namespace postrider::testing
