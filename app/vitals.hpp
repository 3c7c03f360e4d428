#pragma once

#include "actors/progress.hpp"
#include "app/api/ports.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace postrider::app {

/// Whether the parts of a node move. A database that is away, slow or hung is
/// no fault of the node: what waits for it is bounded by time-outs, and only
/// beyond all of them an actor counts as stuck. Not thread-safe.
class vitals {
public:
  using actor_list = std::function<std::vector<actors::actor_reading>()>;

  vitals(std::vector<actors::named_loop> loops, actor_list actors);

  /// `loops` and `actors`, each with what is wrong. A loop that has not turned
  /// for ten seconds is dead.
  std::vector<api::health_check> checks() const;

  /// True once every loop has turned, some actor has handled a message, and no
  /// actor was stuck, all since the last time that this was true.
  bool moved();

private:
  std::vector<actors::named_loop> loops_;
  actor_list actors_;
  std::vector<std::int64_t> ticks_;
  std::uint64_t messages_ = 0;
};

} // namespace postrider::app
