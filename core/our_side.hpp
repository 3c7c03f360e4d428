#pragma once

#include "core/outage.hpp"

#include <atomic>
#include <mutex>

namespace postrider {

/// The `outage` of a node, which all its partitions share. May be called from
/// any thread; as long as there is no outage, only a suspicion takes a lock.
class our_side {
public:
  using time_point = outage::time_point;

  /// Takes a result in; whether it is to be laid on this node and not on the
  /// endpoint. Of a success it takes note at most once a millisecond.
  bool is_ours(std::int64_t endpoint, const attempt_result& result,
               time_point now);
  void short_of_resources(time_point now);

  /// Until when no attempt may begin; nothing if one may now.
  std::optional<time_point> closed(time_point now) const;
  /// Asked once for each attempt that begins.
  bool admit(time_point now);

private:
  void answered(time_point at);
  void catch_up();
  void publish();

  using ticks = time_point::rep;
  static constexpr ticks never = time_point::min().time_since_epoch().count();

  std::atomic<ticks> answered_{never};
  std::atomic<bool> in_force_{false};
  mutable std::mutex mutex_;
  outage rules_;
};

} // namespace postrider
