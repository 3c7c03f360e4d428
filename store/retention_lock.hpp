#pragma once

namespace postrider::store {

// Retention looks whether a day of events is still needed and then drops it;
// who puts an ended delivery back needs its event. Neither may begin while the
// other is between its look and its commit.

/// Whether retention may work now; held until the transaction ends.
inline constexpr const char* try_retention_lock =
    "select pg_try_advisory_xact_lock(7305452004)";
/// Before a statement that puts deliveries back: with any number of others, but
/// not with retention. A statement after it sees what retention has left.
inline constexpr const char* share_retention_lock =
    "select pg_advisory_xact_lock_shared(7305452004)";

} // namespace postrider::store
