#include "app/bench/isolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace postrider::app {

void judge_share(double percent, const isolation_bounds& bounds,
                 bench_report& report) {
  auto& phase = report.phases.back();
  phase.facts.emplace_back("rate_percent_of_alone",
                           static_cast<std::uint64_t>(std::llround(percent)));
  report.verdicts.push_back(
      {fmt::format("rate >= {:g} % of the rate alone", bounds.least_share),
       phase.name, percent, percent >= bounds.least_share});
}

void judge_delay(const std::string& alone, const isolation_bounds& bounds,
                 bench_report& report) {
  const auto p99 = [](const bench_phase& phase) {
    return phase.latencies.back().second.quantile(0.99);
  };
  const auto& all = report.phases;
  const auto base = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return one.name == alone;
  });
  if (base == all.end() || base->latencies.back().second.count() == 0
      || all.back().latencies.back().second.count() == 0)
    throw std::logic_error{"nothing was measured that could be compared"};
  auto& phase = report.phases.back();
  const auto longer = p99(phase) - p99(*base);
  phase.facts.emplace_back(
      "p99_us_above_alone",
      static_cast<std::uint64_t>(std::max<std::int64_t>(longer, 0)));
  report.verdicts.push_back(
      {fmt::format("p99 within {} ms of p99 alone", bounds.most_delay.count()),
       phase.name, static_cast<double>(longer),
       longer <= std::chrono::microseconds{bounds.most_delay}.count()});
}

} // namespace postrider::app
