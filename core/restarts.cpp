#include "core/restarts.hpp"

#include <algorithm>

namespace postrider {

std::optional<std::chrono::milliseconds>
restarts::failed(clock::time_point now) {
  while (!recent_.empty() && now - recent_.front() > by_.within)
    recent_.pop_front();
  recent_.push_back(now);
  if (recent_.size() > by_.most)
    return std::nullopt;
  auto wait = by_.first_wait;
  for (std::size_t i = 1; i < recent_.size() && wait < by_.longest_wait; ++i)
    wait *= 2;
  return std::min(wait, by_.longest_wait);
}

} // namespace postrider
