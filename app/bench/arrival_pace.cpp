#include "app/bench/arrival_pace.hpp"

#include <algorithm>

namespace postrider::app {

namespace {

constexpr std::int64_t second = 1'000'000; // µs
constexpr std::size_t most_seconds = 3600;

} // namespace

void arrival_pace::arrived(std::int64_t moment) {
  if (moment < start_)
    return;
  const auto index = static_cast<std::size_t>((moment - start_) / second);
  if (index < most_seconds) {
    if (index >= seconds_.size())
      seconds_.resize(index + 1);
    ++seconds_[index];
  }
  recent_.push_back(moment);
  while (recent_.front() <= moment - second)
    recent_.pop_front();
  peak_ = std::max<std::uint64_t>(peak_, recent_.size());
}

} // namespace postrider::app
