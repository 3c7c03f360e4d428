#include "core/handover.hpp"

#include <algorithm>
#include <iterator>

namespace postrider {

void handover::add(std::span<const fresh_delivery> made) {
  for (const auto& one : made) {
    highest_ = std::max(highest_, one.row.id);
    waiting_.try_emplace(waiting_.end(), one.row.id, one);
  }
  while (waiting_.size() > most)
    waiting_.erase(std::prev(waiting_.end()));
}

const fresh_delivery* handover::next(std::int64_t id) const {
  const auto first = waiting_.begin();
  return first == waiting_.end() || first->first != id + 1 ? nullptr
                                                           : &first->second;
}

void handover::skip_to(std::int64_t id) {
  waiting_.erase(waiting_.begin(), waiting_.upper_bound(id));
}

} // namespace postrider
