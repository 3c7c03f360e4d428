#include "app/latency.hpp"

#include <algorithm>
#include <cmath>

namespace postrider::app {

namespace {

constexpr double first = 10; // µs
const double growth = std::log(1.05);

} // namespace

void latency::add(std::chrono::microseconds one) {
  const auto value = std::max(first, static_cast<double>(one.count()));
  const auto at = static_cast<std::size_t>(std::log(value / first) / growth);
  ++buckets_[std::min(at, buckets_.size() - 1)];
  ++count_;
}

std::chrono::microseconds latency::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(count_) * share));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted && seen > 0)
      return std::chrono::microseconds{std::llround(
          first * std::exp(growth * (static_cast<double>(i) + 1)))};
  }
  return std::chrono::microseconds{0};
}

} // namespace postrider::app
