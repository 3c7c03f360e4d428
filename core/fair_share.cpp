#include "core/fair_share.hpp"

#include <algorithm>

namespace postrider {

int fair_share_change(int partitions, int nodes, int held) {
  const auto among = std::max(1, nodes);
  const auto share = (partitions + among - 1) / among;
  return share - held;
}

} // namespace postrider
