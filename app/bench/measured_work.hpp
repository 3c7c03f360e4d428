#pragma once

#include "app/bench/bench_stage.hpp"

#include <functional>
#include <string>

namespace postrider::app {

/// A phase of that name, from the moment before `begin` to the end that `wait`
/// tells: its costs, and how many different deliveries arrived.
bench_phase measure_work(bench_stage& stage, const std::string& name,
                         const std::function<void()>& begin,
                         const std::function<bench_stage::ending()>& wait);

} // namespace postrider::app
