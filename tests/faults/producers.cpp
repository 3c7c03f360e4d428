#include "tests/faults/producers.hpp"

#include <fmt/core.h>

namespace postrider::testing {

producers::producers(fault_bench& bench, int count, const std::string& prefix,
                     std::chrono::milliseconds pause) {
  for (int i = 0; i < count; ++i)
    threads_.emplace_back([this, &bench, i, prefix, pause] {
      for (int n = 0; !stop_; ++n) {
        if (bench.insist(fmt::format("{}{}-{}", prefix, i, n),
                         fmt::format("s{}", i)))
          ++sent_;
        if (pause.count() > 0)
          std::this_thread::sleep_for(pause);
      }
    });
}

int producers::stop() {
  stop_ = true;
  for (auto& one : threads_)
    if (one.joinable())
      one.join();
  return sent_;
}

} // namespace postrider::testing
