#include "core/suspects.hpp"

#include <algorithm>

namespace postrider {

void suspects::blame(std::int64_t delivery) {
  if (failures_[delivery]++ > 0)
    return;
  order_.push_back(delivery);
  if (order_.size() > most) {
    failures_.erase(order_.front());
    order_.pop_front();
  }
}

bool suspects::convicted(std::int64_t delivery) const {
  const auto place = failures_.find(delivery);
  return place != failures_.end() && place->second >= convicted_at;
}

void suspects::forget(std::int64_t delivery) {
  if (failures_.erase(delivery) > 0)
    std::erase(order_, delivery);
}

} // namespace postrider
