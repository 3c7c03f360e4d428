#pragma once

#include "actors/messages.hpp"

#include <cstddef>
#include <map>
#include <unordered_map>
#include <vector>

namespace postrider::actors {

/// The endpoints that have traffic, kept fresh by version.
class endpoint_cache {
public:
  /// The version up to which changes are known; negative before the first
  /// answer.
  std::int64_t version() const noexcept { return version_; }

  endpoint_ptr find(std::int64_t id) const;
  /// Starts anew when it has grown past its bound; what is in use is loaded
  /// again.
  void trim();
  void add(const std::vector<endpoint_ptr>& loaded);

  /// Takes note of changes; returns those of cached endpoints by partition.
  std::map<std::uint16_t, std::vector<endpoint_ptr>>
  refresh(const endpoint_changes& news);

private:
  static constexpr std::size_t most = 20'000;

  std::unordered_map<std::int64_t, endpoint_ptr> known_;
  std::int64_t version_ = -1;
};

} // namespace postrider::actors
