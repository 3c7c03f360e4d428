#include "app/bench/meter.hpp"

#include "app/bench/machine.hpp"
#include "app/bench/payload.hpp"
#include "app/bench/process_usage.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace postrider::app {

double costs::cpu() const {
  return std::accumulate(
      parts.begin(), parts.end(), 0.0,
      [](double sum, const part& one) { return sum + one.cpu; });
}

meter::meter(std::vector<metered> processes, store::workbench& database)
    : processes_{std::move(processes)},
      database_{database},
      wal_{database_.wal()},
      busy_{machine_busy()},
      cpu_{cpu_now()} {
  started_ = monotonic_now();
}

std::vector<double> meter::cpu_now() const {
  std::vector<double> all;
  for (const auto& one : processes_)
    all.push_back(one.family ? cpu_of_family(one.process)
                             : cpu_of(one.process));
  return all;
}

costs meter::stop(double seconds) {
  const auto elapsed = static_cast<double>(monotonic_now() - started_) / 1e6;
  const auto busy = machine_busy() - busy_;
  const auto cpu = cpu_now();
  costs found;
  found.seconds = seconds;
  found.wal = database_.wal() - wal_;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const auto& one = processes_[i];
    found.parts.push_back(
        {one.name, cpu[i] - cpu_[i],
         one.family ? family_memory(one.process) : peak_memory(one.process)});
  }
  found.busy_cores = busy / elapsed;
  found.other_cores = std::max(0.0, (busy - found.cpu()) / elapsed);
  return found;
}

} // namespace postrider::app
