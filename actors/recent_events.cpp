#include "actors/recent_events.hpp"

namespace postrider::actors {

void recent_events::add(std::span<const event_ptr> events) {
  for (const auto& one : events) {
    if (!known_.try_emplace(one->id, one).second)
      continue;
    order_.push_back(one->id);
    bytes_ += one->payload->size();
  }
  while (order_.size() > most || bytes_ > most_bytes) {
    const auto oldest = known_.find(order_.front());
    bytes_ -= oldest->second->payload->size();
    known_.erase(oldest);
    order_.pop_front();
  }
}

event_ptr recent_events::find(const uuid& id) const {
  const auto place = known_.find(id);
  return place == known_.end() ? nullptr : place->second;
}

} // namespace postrider::actors
