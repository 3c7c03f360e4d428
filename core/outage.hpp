#pragma once

#include "core/attempt.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

namespace postrider {

/// What a result says of this node's network.
enum class network_sign : std::uint8_t {
  none,    ///< nothing
  works,   ///< something came back over it
  suspect, ///< nothing did: it may be this node's or the receiver's
  ours,    ///< this node lacked the means, whatever the network does
};
network_sign sign_of(const attempt_result& result);

/// For how long ago a result that is no `works` itself shows that the network
/// worked, as its connection was made then; nothing if it was not.
std::optional<std::chrono::milliseconds>
connected_ago(const attempt_result& result);

/// Tells an outage on this node's side from receivers that don't answer
/// (C-17, C-20), and says when attempts may begin in one. An outage begins
///
/// - when at least five endpoints have failed with `suspect` in the last 30 s,
///   nothing has come back since the first of them and nothing in the last
///   2 s; a node that calls fewer endpoints never concludes it;
/// - or with `short_of_resources`.
///
/// It ends with whatever comes back, or when nothing has failed for two
/// minutes. Until then four attempts may begin after each pause, which grows
/// from 100 ms to 5 s.
class outage {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::size_t least_endpoints = 5;
  static constexpr int probes = 4;

  /// Something came back at this time, which may lie in the past.
  void answered(time_point at);
  /// An attempt failed with `suspect`: whether it is to be laid on this node.
  bool suspect(std::int64_t endpoint, time_point now);
  void short_of_resources(time_point now);

  /// Until when no attempt may begin; nothing if one may now.
  std::optional<time_point> closed(time_point now) const;
  /// Whether an attempt may begin now. In an outage it counts as one of the
  /// four, so it is asked once for each attempt that does begin.
  bool admit(time_point now);

  bool in_force() const { return began_.has_value(); }

private:
  struct failure {
    std::int64_t endpoint = 0;
    std::optional<time_point> at;
  };

  void note(std::int64_t endpoint, time_point now);
  bool all_fresh(time_point now) const;
  void lapse(time_point now);
  void begin(time_point now);
  void pause(time_point now);

  std::optional<time_point> answered_;
  /// The latest failure of those endpoints that failed last.
  std::array<failure, least_endpoints> failures_;

  std::optional<time_point> began_;
  time_point failed_at_{};
  time_point closed_until_{};
  std::chrono::milliseconds pause_{0};
  int probes_left_ = 0;
};

} // namespace postrider
