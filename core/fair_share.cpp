#include "core/fair_share.hpp"

#include <algorithm>

namespace postrider {

int fair_share_change(int partitions, int nodes, int rank, int held) {
  const auto among = std::max(1, nodes);
  const auto share = partitions / among + (rank < partitions % among ? 1 : 0);
  return share - held;
}

} // namespace postrider
