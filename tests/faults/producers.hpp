#pragma once

#include "tests/faults/fault_bench.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace postrider::testing {

/// Producers that send one event after the other until they are stopped, each
/// key until it is accepted.
class producers {
public:
  /// One thread and one stream for each. `prefix` tells the keys of several
  /// apart; `pause` is between two events of one.
  producers(fault_bench& bench, int count, const std::string& prefix = "p",
            std::chrono::milliseconds pause = {});
  ~producers() { stop(); }

  /// Returns how many events were accepted.
  int stop();
  int sent() const { return sent_; }

private:
  std::atomic<bool> stop_{false};
  std::atomic<int> sent_{0};
  std::vector<std::thread> threads_;
};

} // namespace postrider::testing
