#include "actors/progress.hpp"

namespace postrider::actors {

namespace {

using namespace std::chrono;

nanoseconds limit_of(const std::string& kind, const patience& limits) {
  const bool asks = kind.ends_with("_store") || kind == "janitor"
                    || kind == "sampler" || kind == "listener";
  return asks ? limits.asking_actor : limits.actor;
}

} // namespace

std::string dead_loop(const std::vector<named_loop>& loops,
                      const patience& limits) {
  const nanoseconds now{steady_clock::now().time_since_epoch()};
  for (const auto& one : loops) {
    const nanoseconds ticked{
        one.meters->ticked.load(std::memory_order_relaxed)};
    if (now - ticked > limits.loop)
      return "the loop " + one.name + " does not turn";
  }
  return {};
}

std::string stuck_actor(const std::vector<actor_reading>& all,
                        const patience& limits) {
  for (const auto& one : all)
    if (one.stuck > limit_of(one.kind, limits))
      return one.kind + " has been handling one message for "
             + std::to_string(duration_cast<seconds>(one.stuck).count()) + " s";
  return {};
}

} // namespace postrider::actors
