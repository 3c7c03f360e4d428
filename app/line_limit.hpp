#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace postrider::app {

/// Lets each speaker say so many lines in a second, so that a fault that every
/// delivery meets does not flood the log. Not thread-safe.
class line_limit {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit line_limit(std::uint64_t most) : most_{most} {}

  struct verdict {
    bool pass = true;
    /// How many were left out since the last line that passed; told once.
    std::uint64_t left_out = 0;
  };

  verdict judge(std::string_view speaker, time_point now);

private:
  struct record {
    time_point from{};
    std::uint64_t said = 0;
    std::uint64_t left_out = 0;
  };

  std::uint64_t most_;
  std::map<std::string, record, std::less<>> speakers_;
};

} // namespace postrider::app
