#include "app/bench/measured_work.hpp"

#include "app/bench/payload.hpp"

namespace postrider::app {

bench_phase measure_work(bench_stage& stage, const std::string& name,
                         const std::function<void()>& begin,
                         const std::function<bench_stage::ending()>& wait) {
  bench_phase phase;
  phase.name = name;
  const auto before = stage.receiver().totals().unique;
  auto meter = stage.start_meter();
  const auto began = monotonic_now();
  begin();
  const auto end = wait();
  phase.used = meter.stop(static_cast<double>(end.at - began) / 1e6);
  phase.count = stage.receiver().totals().unique - before;
  return phase;
}

} // namespace postrider::app
