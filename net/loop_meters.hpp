#pragma once

#include "core/metering.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace postrider::net {

/// What an I/O loop tells of itself; written on its thread, read from any.
struct alignas(64) loop_meters {
  quick_times lag; ///< how late its clock ticks
  /// When it last did, in nanoseconds of the steady clock; 0 before it runs.
  std::atomic<std::int64_t> ticked{0};

  void tick(std::chrono::steady_clock::time_point now) noexcept {
    const std::chrono::nanoseconds since{now.time_since_epoch()};
    ticked.store(since.count(), std::memory_order_relaxed);
  }
};

} // namespace postrider::net
