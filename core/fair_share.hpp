#pragma once

namespace postrider {

/// How many partitions a node should gain (positive) or give back (negative).
/// Each of `nodes` live nodes aims at an even share; what is left over goes to
/// the first ones, one each, `rank` being how many come before this node. So
/// the shares are exact, and a join takes from each only what it has too many.
int fair_share_change(int partitions, int nodes, int rank, int held);

} // namespace postrider
