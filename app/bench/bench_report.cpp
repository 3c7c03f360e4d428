#include "app/bench/bench_report.hpp"

#include <algorithm>

namespace postrider::app {

bool bench_report::good() const {
  return faults.empty()
         && std::all_of(verdicts.begin(), verdicts.end(),
                        [](const auto& one) { return one.met; });
}

} // namespace postrider::app
