#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace postrider::testing {

/// Model time since the beginning of a run.
using nanos = std::chrono::nanoseconds;

/// What is going to happen in the world outside the nodes, by time; what is
/// due at the same moment happens in the order in which it was set down.
class agenda {
public:
  nanos now() const { return now_; }
  void pass(nanos by) { now_ += by; }
  void move_to(nanos when) { now_ = std::max(now_, when); }

  void at(nanos when, std::function<void()> what) {
    all_.emplace(std::pair{std::max(when, now_), ++count_}, std::move(what));
  }
  void in(nanos after, std::function<void()> what) {
    at(now_ + after, std::move(what));
  }

  std::optional<nanos> next() const {
    return all_.empty() ? std::nullopt
                        : std::optional{all_.begin()->first.first};
  }
  void run_next() {
    auto one = all_.extract(all_.begin());
    move_to(one.key().first);
    one.mapped()();
  }

private:
  nanos now_{0};
  std::uint64_t count_ = 0;
  std::map<std::pair<nanos, std::uint64_t>, std::function<void()>> all_;
};

} // namespace postrider::testing
