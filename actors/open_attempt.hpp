#pragma once

#include "actors/messages.hpp"

#include <cstdint>

namespace postrider::actors {

/// A delivery that the driver of a partition has, waiting or in flight.
struct open_attempt {
  work what;
  time_point started{};     ///< not yet: the epoch
  std::int64_t version = 0; ///< of the endpoint, when it was started
  bool running = false;
  std::int64_t ticket = 0; ///< of the attempt that runs
  bool overdue = false;    ///< had no answer at the last look either
  bool seated = false;     ///< takes a place of its tenant's in flight
};

} // namespace postrider::actors
