#pragma once

#include "core/uuid.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace postrider::store {

/// The exclusive, fenced right to drive one partition.
struct lease {
  std::uint16_t partition = 0;
  std::int64_t epoch = 0;
  /// How often in a row it was taken from a holder that had not given it back.
  int crashes = 0;
  /// The delivery that has been the end of too many holders; 0: none.
  std::int64_t culprit = 0;

  friend bool operator==(const lease& a, const lease& b) {
    return a.partition == b.partition && a.epoch == b.epoch;
  }
};

/// What a node says of itself: others count only those that work for the fair
/// share.
enum class standing {
  working,
  leaving, ///< it is being stopped; what it still holds is renewed
  stalled, ///< something in it stands still; nothing is renewed
};

struct heartbeat {
  /// What this node holds after renewal. A lease that is missing was lost.
  std::vector<lease> held;
  /// Those that take leases: they work, nobody wants them drained, and their
  /// role lets them. With this node, whether it does or not.
  int live_nodes = 1;
  int rank = 0;       ///< how many of the others come before this one
  bool drain = false; ///< an operator wants this node to hold none
  int partitions = 0; ///< how many there are in all
  int free = 0;       ///< unowned or expired
  /// This node's wall clock less the database's, as far as the time that the
  /// answer took lets it be known.
  std::chrono::milliseconds clock_ahead{0};
};

/// Leases of one node, on a connection of its own. Throws `error`; not
/// thread-safe. After a throw the next call connects again.
class leases {
public:
  leases(database where, uuid node, std::string name,
         std::chrono::milliseconds lease_time, std::string version = {},
         std::string role = "all");
  ~leases();

  /// One statement: writes the node's row, renews all its unexpired leases,
  /// and those that expired unclaimed, and counts nodes and free partitions.
  heartbeat beat(standing how = standing::working);

  /// Takes up to `count` free or expired partitions (`SKIP LOCKED`), each
  /// under a new epoch.
  std::vector<lease> acquire(int count);

  /// Gives these back, if still held under the same epoch.
  void release(std::span<const lease> given);

  /// Puts on record which delivery is being handled with care; 0: none. False
  /// when the lease is not this node's any more.
  bool mark(const lease& under, std::int64_t delivery);

  /// Gives everything back and removes the node's row.
  void leave();

  /// Removes rows of nodes that have been silent for ten lease times. Returns
  /// how many leases of dead nodes stand expired.
  int sweep();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
