#pragma once

#include "core/health.hpp"
#include "store/history.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace postrider::store {

/// The health of an endpoint as people see it.
struct health_view {
  health_state state = health_state::healthy;
  std::optional<time_ms> since; ///< nothing: it never was in another state
  std::string cause;
  std::string origin; ///< `engine` | `receiver` | `operator`
  std::string note;
  int trials_failed = 0;
  std::optional<time_ms> next_trial_at;
  std::optional<time_ms> suspended_since;
  std::optional<time_ms> retire_at;
  std::optional<time_ms> not_before; ///< only while it lies ahead
  bool paused = false;
  std::optional<time_ms> paused_at;
  std::string pause_note;
  bool releasing = false;
};

/// What waits at an endpoint; both are counted up to `open_row::most`.
struct open_row {
  static constexpr int most = 10'000;

  int open = 0; ///< deliveries that have not ended, the held ones included
  int held = 0;
  std::optional<time_ms> oldest_held; ///< when its event was accepted
};

/// What an operator may do with an endpoint's health.
enum class health_action { pause, resume, disable, enable };

/// Which endpoints: those in a state, or those that are paused in whatever
/// state.
enum class health_filter { healthy, degraded, suspended, disabled, paused };

} // namespace postrider::store
