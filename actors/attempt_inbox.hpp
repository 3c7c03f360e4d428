#pragma once

#include "actors/protocol.hpp"

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace postrider::actors {

/// The results of attempts on their way to the driver of a partition. It
/// outlives that driver: what comes while there is none waits for its successor
/// (G6). Callable from any thread.
class attempt_inbox {
public:
  struct entry {
    std::int64_t job = 0;
    attempt_result what;
  };

  /// Keeps a result. Returns whom to send `finished`: nobody while that is on
  /// its way or there is no driver.
  std::optional<partition_actor> put(std::int64_t job, attempt_result what);
  /// The same, and sends it.
  void deliver(std::int64_t job, attempt_result what);

  /// All there are; whatever comes next is told again.
  std::deque<entry> take();
  /// Could not be dealt with: stands before all others again.
  void put_back(std::deque<entry> some);

  /// Who is told from now on. What is there already is its to take.
  void belongs_to(const partition_actor& driver);

private:
  std::mutex mutex_;
  std::deque<entry> waiting_;
  std::optional<partition_actor> driver_;
  bool told_ = false;
};

} // namespace postrider::actors
