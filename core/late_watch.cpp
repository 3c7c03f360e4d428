#include "core/late_watch.hpp"

#include <algorithm>
#include <utility>

namespace postrider {

std::optional<std::int64_t> late_watch::saw(const transactions& now,
                                            std::int64_t cursor) {
  std::optional<std::int64_t> lowest;
  const auto ended = [&](std::uint64_t id) {
    return id < now.xmax
           && std::find(now.running.begin(), now.running.end(), id)
                  == now.running.end();
  };
  for (auto place = watched_.begin(); place != watched_.end();) {
    if (ended(place->first)) {
      lowest = std::min(lowest.value_or(place->second), place->second);
      // What it wrote above the cursor is read in the ordinary way.
      if (place->second < cursor)
        put_back(place->second);
      place = watched_.erase(place);
    } else {
      ++place;
    }
  }
  for (const auto id : now.running)
    watched_.try_emplace(id, cursor);
  return lowest;
}

void late_watch::restart(std::int64_t cursor) {
  for (auto& [id, from] : watched_)
    from = std::min(from, cursor);
}

std::optional<std::int64_t> late_watch::take() {
  return std::exchange(ended_from_, std::nullopt);
}

void late_watch::put_back(std::int64_t from) {
  ended_from_ = ended_from_ ? std::min(*ended_from_, from) : from;
}

} // namespace postrider
