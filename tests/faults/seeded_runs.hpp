#pragma once

#include "tests/faults/check.hpp"

#include <string>
#include <vector>

namespace postrider::testing {

// The runs in which seeded defects show. Each takes the failpoints of its
// nodes, tells what the checker said, and is healthy without a defect.

/// Events by HTTP to moody receivers.
std::vector<verdict> traffic(const std::string& defect, std::string& said);
/// A transaction that commits behind what was delivered already.
std::vector<verdict> late_commit(const std::string& defect, std::string& said);
/// A crash between the call and the commit.
std::vector<verdict> crash_at_commit(const std::string& defect,
                                     std::string& said);
/// A node that is stalled past its lease with outcomes that it has not written
/// yet.
std::vector<verdict> stall(const std::string& defect, std::string& said);
/// A second node joins one that is at work.
std::vector<verdict> join(const std::string& defect, std::string& said);
/// Everything is past its time, and some of it is not delivered yet.
std::vector<verdict> retention(const std::string& defect, std::string& said);
/// Two tenants with endpoints for the same types. The defect is one of the
/// schema: any failpoint stands for it but `none`.
std::vector<verdict> two_tenants(const std::string& defect, std::string& said);
/// A receiver that sends its callers to where no endpoint is.
std::vector<verdict> redirect(const std::string& defect, std::string& said);
/// A name with an address that may be called, where nobody listens, and one
/// that must not be.
std::vector<verdict> two_addresses(const std::string& defect,
                                   std::string& said);

} // namespace postrider::testing
