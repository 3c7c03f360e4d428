#include "actors/endpoint_cache.hpp"

namespace postrider::actors {

endpoint_ptr endpoint_cache::find(std::int64_t id) const {
  const auto place = known_.find(id);
  return place == known_.end() ? nullptr : place->second;
}

void endpoint_cache::trim() {
  if (known_.size() > most)
    known_.clear();
}

void endpoint_cache::add(const std::vector<endpoint_ptr>& loaded) {
  for (const auto& one : loaded)
    known_.insert_or_assign(one->id, one);
}

std::map<std::uint16_t, std::vector<endpoint_ptr>>
endpoint_cache::refresh(const endpoint_changes& news) {
  std::map<std::uint16_t, std::vector<endpoint_ptr>> out;
  version_ = news.version;
  for (const auto& one : news.changed)
    if (const auto place = known_.find(one->id); place != known_.end()) {
      place->second = one;
      out[one->partition].push_back(one);
    }
  return out;
}

} // namespace postrider::actors
