#pragma once

#include "core/metering.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace postrider::actors {

/// What one actor receives and does; written as it runs, read from any thread.
struct actor_pulse {
  alignas(64) count received;
  alignas(64) count handled;
  /// When the handler that runs now began, in nanoseconds of the steady clock;
  /// 0 while none runs.
  std::atomic<std::int64_t> since{0};
  quick_times spent; ///< in handlers
};
using actor_pulse_ptr = std::shared_ptr<actor_pulse>;

/// All actors of one kind together.
struct actor_reading {
  std::string kind;
  std::size_t instances = 0;
  std::size_t busy = 0;              ///< how many are in a handler now
  std::uint64_t mailbox = 0;         ///< the longest one
  std::uint64_t messages = 0;        ///< handled since the start
  distribution spent;                ///< in handlers since the start
  std::chrono::nanoseconds stuck{0}; ///< longest time in a handler that runs
};

/// Where the pulses of a node's actors are found. Thread-safe.
class pulse_board {
public:
  void add(const std::string& kind, const actor_pulse_ptr& one);
  /// What an actor has done is kept when it ends. Idempotent.
  void remove(const std::string& kind, const actor_pulse_ptr& one);

  /// One reading for each kind that there ever was.
  std::vector<actor_reading> read() const;

private:
  struct kind_record {
    std::vector<actor_pulse_ptr> alive;
    std::uint64_t messages = 0; ///< of those that have ended
    distribution spent;
  };

  mutable std::mutex mutex_;
  std::map<std::string, kind_record> kinds_;
};

} // namespace postrider::actors
