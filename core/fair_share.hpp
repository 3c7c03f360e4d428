#pragma once

namespace postrider {

/// How many partitions a node should gain (positive) or give back (negative).
/// With `nodes` live nodes each aims at an even share, rounded up for those
/// who gain and down for nobody: a node gives back only what is above the
/// rounded-up share, so that the last partition does not wander.
int fair_share_change(int partitions, int nodes, int held);

} // namespace postrider
