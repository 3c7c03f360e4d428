#pragma once

#include "actors/pulse.hpp"
#include "net/loop_meters.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace postrider::actors {

/// For how long something may stand still. Those who ask the database are held
/// by it now and then: what they wait for is bounded by time-outs.
struct patience {
  std::chrono::nanoseconds loop;
  std::chrono::nanoseconds actor;
  std::chrono::nanoseconds asking_actor;
};

struct named_loop {
  std::string name;
  const net::loop_meters* meters;
};

/// The first loop that has not turned for too long, in words; empty when all
/// have.
std::string dead_loop(const std::vector<named_loop>& loops,
                      const patience& limits);

/// The first actor that has been handling one message for too long.
std::string stuck_actor(const std::vector<actor_reading>& all,
                        const patience& limits);

} // namespace postrider::actors
