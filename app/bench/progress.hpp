#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace postrider::app {

/// How far a long piece of work is, on standard error: a bar that is drawn
/// again in place on a terminal, a line every ten seconds otherwise.
class progress {
public:
  /// `total` 0: unknown.
  progress(std::string what, std::uint64_t total);
  /// Takes the bar away.
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void show(std::uint64_t done);

private:
  using clock = std::chrono::steady_clock;

  std::string what_;
  std::uint64_t total_;
  bool terminal_;
  clock::time_point started_ = clock::now();
  clock::time_point shown_ = clock::now();
};

} // namespace postrider::app
