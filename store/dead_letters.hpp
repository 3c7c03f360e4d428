#pragma once

#include "core/uuid.hpp"
#include "store/history.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace postrider::store {

/// Which dead letters, that is failed deliveries that were not put back: all
/// that is set has to hold. With a `reason` for which deliveries are cancelled
/// it is those: what an endpoint missed can be put back in one go.
struct dead_letter_filter {
  std::optional<std::string> tenant;
  std::optional<uuid> endpoint;
  std::optional<std::string> error;  ///< as `postrider.failure` names it
  std::optional<std::string> reason; ///< why it was given up
  std::optional<time_ms> since;      ///< given up at or after
  std::optional<time_ms> until;      ///< given up before
};

/// The state of those that the filter means: failed or cancelled.
delivery_state state_of(const dead_letter_filter& filter);

/// How many of one endpoint failed by one error.
struct dead_letter_group {
  uuid endpoint;
  std::string tenant;
  std::string error;
  std::int64_t count = 0;
  time_ms oldest;
  time_ms newest;
};

struct dead_letter_summary {
  std::int64_t count = 0;               ///< in all groups
  std::int64_t groups = 0;              ///< in all
  std::vector<dead_letter_group> first; ///< the largest, a bounded number
};

/// Where a walk over dead letters goes on: only those given up until `moment`
/// (microseconds since 1970) belong to it, whatever is added meanwhile.
struct dead_letter_place {
  std::int64_t moment = 0;
  std::int64_t delivery = 0;
};

enum class dead_letter_action { retry, purge };

struct dead_letter_progress {
  std::int64_t done = 0;
  /// Changed meanwhile, or can't be put back: the endpoint is disabled, or no
  /// endpoint or payload is left.
  std::int64_t skipped = 0;
  std::optional<dead_letter_place> next; ///< nothing: the walk has ended
};

} // namespace postrider::store
