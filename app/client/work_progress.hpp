#pragma once

#include "app/client/client_options.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace postrider::app {

/// How far long work has come, on standard error: a bar on a terminal, else a
/// line every ten seconds; with `--json` the lines are objects with
/// `progress`. Nothing with `--quiet`.
class work_progress {
public:
  /// `what` is the verb's past form: `retried`. A `total` of 0 is unknown.
  work_progress(const client_options& options, std::string what,
                std::uint64_t total);
  /// Takes the bar off the screen.
  ~work_progress();
  work_progress(const work_progress&) = delete;
  work_progress& operator=(const work_progress&) = delete;

  void advance_to(std::uint64_t done);

private:
  using clock = std::chrono::steady_clock;

  void draw(std::uint64_t done);

  std::string what_;
  std::uint64_t total_;
  bool bar_;
  bool json_;
  bool quiet_;
  bool drawn_ = false;
  clock::time_point begun_ = clock::now();
  clock::time_point next_;
};

} // namespace postrider::app
