#pragma once

#include <chrono>

namespace postrider {

/// How far a node's wall clock may be from the database's. Leases and due
/// times do not depend on it, but receivers compare the timestamp that a
/// signature covers with their own clock, within some minutes. (TIME-03.)
enum class clock_skew {
  none,     ///< at most 5 s
  notable,  ///< to be warned of
  too_large ///< above 60 s: the node is not ready
};

/// `ahead` is the node's clock less the database's.
constexpr clock_skew judge_clock(std::chrono::milliseconds ahead) {
  const auto off = std::chrono::abs(ahead);
  if (off > std::chrono::seconds{60})
    return clock_skew::too_large;
  return off > std::chrono::seconds{5} ? clock_skew::notable : clock_skew::none;
}

} // namespace postrider
