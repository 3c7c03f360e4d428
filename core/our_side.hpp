#pragma once
#include "core/attempt.hpp"
#include <chrono>
#include <optional>
namespace postrider {
class our_side {
public:
  using time_point = std::chrono::steady_clock::time_point;
  std::optional<time_point> closed(time_point) { return std::nullopt; }
  bool admit(time_point) { return true; }
  void short_of_resources(time_point) {}
  bool is_ours(std::int64_t, const attempt_result&, time_point) { return false; }
};
}
