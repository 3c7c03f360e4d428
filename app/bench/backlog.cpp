#include "app/bench/backlog.hpp"

#include "app/bench/payload.hpp"
#include "app/bench/progress.hpp"
#include "store/producer.hpp"

#include <vector>

namespace postrider::app {

namespace {

constexpr std::size_t batch_size = 500;

} // namespace

double write_backlog(bench_stage& stage, const load_targets& targets,
                     std::uint64_t first, std::uint64_t events) {
  const payload_maker payloads{stage.options().payload};
  store::producer producer{stage.database_url()};
  progress bar{"writing the backlog", events};
  const auto began = monotonic_now();
  std::vector<store::produced_event> batch;
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto number = first + i;
    const auto& to = targets[number % targets.size()];
    batch.push_back(
        {to.tenant, to.type, payloads.make({number, monotonic_now()})});
    if (batch.size() < batch_size && i + 1 < events)
      continue;
    producer.publish(batch);
    batch.clear();
    bar.show(i + 1);
    stage.pause(std::chrono::milliseconds{0});
  }
  return static_cast<double>(events) * 1e6
         / static_cast<double>(monotonic_now() - began);
}

} // namespace postrider::app
