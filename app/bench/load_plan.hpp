#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace postrider::app {

/// Events that are sent together.
struct load_portion {
  std::uint64_t first = 0; ///< number of the first of them
  std::uint64_t count = 1;
  std::int64_t intended = 0; ///< µs of the monotonic clock
};

/// What is sent when. Open loop: each event has its moment from the start on,
/// whether or not the ones before it were answered. Closed loop: the moment of
/// an event is when somebody comes to fetch it. Thread-safe.
class load_plan {
public:
  /// An open loop: so many events, numbered from `first`, at so many a second
  /// (0: a closed loop), the first one at `start`.
  load_plan(std::uint64_t first, std::uint64_t events, double rate,
            std::int64_t start);
  /// A closed loop in portions.
  load_plan(std::uint64_t first, std::uint64_t events, std::uint64_t portion);

  /// Nothing once all were handed out, or after `end`.
  std::optional<load_portion> next();
  /// Waits for the moment of a portion; false after `end`.
  bool wait_for(const load_portion& one) const;
  void end() { ended_ = true; }

private:
  std::uint64_t first_;
  std::uint64_t events_;
  double rate_ = 0;
  std::int64_t start_ = 0;
  std::uint64_t portion_ = 1;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> ended_{false};
};

} // namespace postrider::app
