#pragma once

#include "app/bench/load_plan.hpp"
#include "app/bench/log_histogram.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace postrider::app {

struct load_counts {
  std::uint64_t accepted = 0; ///< events
  std::uint64_t refused = 0;  ///< events that a full node did not take
  std::uint64_t failed = 0;   ///< events with any other answer, or none
  std::string trouble;        ///< the last such answer
};

/// What became of the events that were sent. Thread-safe.
class load_tally {
public:
  /// Latencies count for events that were meant to be sent from then on.
  explicit load_tally(std::int64_t measure_from = 0);

  void accepted(const load_portion& one);
  void refused(const load_portion& one);
  void failed(const load_portion& one, const std::string& why);

  load_counts counts() const;
  /// From the intended moment to the acceptance.
  log_histogram latencies() const;
  /// When the event was accepted; 0 when it was not.
  std::int64_t accepted_at(std::uint64_t number) const;

private:
  mutable std::mutex mutex_;
  std::int64_t measure_from_;
  load_counts counts_;
  log_histogram latencies_;
  std::vector<std::int64_t> accepted_; ///< by number
};

} // namespace postrider::app
