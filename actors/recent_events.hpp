#pragma once

#include "core/model.hpp"

#include <cstddef>
#include <deque>
#include <span>
#include <unordered_map>

namespace postrider::actors {

/// The contents of what this node accepted last: they need not be read. The
/// oldest go first.
class recent_events {
public:
  static constexpr std::size_t most = 4'000;
  static constexpr std::size_t most_bytes = 4 << 20; ///< of payloads

  void add(std::span<const event_ptr> events);
  /// Null when it is not here, or no more.
  event_ptr find(const uuid& id) const;

private:
  std::unordered_map<uuid, event_ptr> known_;
  std::deque<uuid> order_;
  std::size_t bytes_ = 0;
};

} // namespace postrider::actors
