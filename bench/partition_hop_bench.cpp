#include "actors/partition.hpp"
#include "bench/actor_ends.hpp"
#include "bench/actor_stage.hpp"
#include "tests/actors/fakes.hpp"

#include <benchmark/benchmark.h>

namespace postrider {
namespace {

using steady = std::chrono::steady_clock;

/// The drivers of so many partitions between ends that do nothing, with an
/// endpoint of each of which one delivery is under way at a time.
class drivers {
public:
  explicit drivers(std::int64_t partitions) {
    actors::partition_options options;
    options.around = {[] { return std::chrono::sys_seconds{}; },
                      [] { return 0.5; }};
    options.log = testing::no_log();
    options.counters = std::make_shared<actors::counters>();
    options.outcomes = box;
    for (std::int64_t i = 0; i < partitions; ++i) {
      options.lease = {static_cast<std::uint16_t>(i), 3};
      all_.push_back(stage.keep(actors::spawn_partition(
          stage.system(), options,
          {worker_, reader_, supervisor_, health_, leases_})));
      stage.tell(all_.back(), atom::renew_v,
                 stage.now() + std::chrono::hours{24 * 365});
    }
    for (std::int64_t id = 1; id <= bench::endpoints; ++id)
      receivers_.push_back(
          std::make_shared<const endpoint>(bench::receiver(id)));
    stage.run();
    // The first attempt of each endpoint waits for the word of its breaker.
    claim();
    answer();
  }

  /// One delivery of each endpoint, to the worker.
  steady::duration claim() {
    std::vector<actors::work_list> shares(all_.size());
    for (std::int64_t i = 0; i < bench::endpoints; ++i) {
      auto next = bench::row(++id_);
      const auto whose = next.partition % all_.size();
      next.partition = static_cast<std::uint16_t>(whose);
      auto to = receivers_[static_cast<std::size_t>(next.endpoint - 1)];
      shares[whose].push_back({next, event_, std::move(to), stage.now()});
    }
    const auto began = steady::now();
    for (std::size_t i = 0; i < all_.size(); ++i)
      stage.tell(all_[i], atom::claimed_v, std::move(shares[i]));
    stage.run();
    return steady::now() - began;
  }

  /// All of them are answered with 204; from there to the box of outcomes.
  steady::duration answer() {
    for (auto& job : std::exchange(jobs_, {}))
      tickets_.push_back(std::move(job.reply_to));
    attempt_result good;
    good.status = 204;
    good.headers = {{"server", "nginx"},
                    {"date", "Sun, 29 Nov 2026 20:00:00 GMT"}};
    std::vector<attempt_result> results(tickets_.size(), good);
    const auto began = steady::now();
    for (std::size_t i = 0; i < tickets_.size(); ++i)
      tickets_[i]->deliver(std::move(results[i]));
    stage.run();
    const auto took = steady::now() - began;
    tickets_.clear();
    stage.pass(std::chrono::milliseconds{10});
    stage.run();
    settled = box->take(100'000)->size();
    box->done(stage.now());
    return took;
  }

  bench::actor_stage stage;
  std::shared_ptr<actors::outcome_box> box =
      std::make_shared<actors::outcome_box>();
  std::size_t settled = 0;

private:
  actors::http_job_list jobs_;
  std::vector<std::shared_ptr<actors::attempt_ticket>> tickets_;
  std::size_t left_ = 0;
  testing::supervisor_record node_;
  testing::health_world sick_;
  testing::mark_record marked_;
  actors::http_worker_actor worker_ =
      stage.keep(stage.system().spawn(bench::job_taker, &jobs_));
  actors::reader_actor reader_ =
      stage.keep(stage.system().spawn(bench::reader_end, &left_));
  actors::node_supervisor_actor supervisor_ =
      stage.keep(stage.system().spawn(testing::fake_supervisor, &node_));
  actors::health_store_actor health_ =
      stage.keep(stage.system().spawn(testing::fake_health_store, &sick_));
  actors::lease_store_actor leases_ =
      stage.keep(stage.system().spawn(testing::fake_lease_store, &marked_));
  std::vector<actors::partition_actor> all_;
  std::vector<endpoint_ptr> receivers_;
  event_ptr event_ = std::make_shared<const event_content>(bench::event());
  std::int64_t id_ = 0;
};

template <class Measured>
void measure(benchmark::State& state, Measured measured) {
  drivers all{state.range(0)};
  for (auto step : state) {
    const auto [claimed, answered] = std::pair{all.claim(), all.answer()};
    const std::chrono::duration<double> took = measured(claimed, answered);
    state.SetIterationTime(took.count());
    if (all.settled != static_cast<std::size_t>(bench::endpoints))
      state.SkipWithError("not all was settled");
  }
  state.SetItemsProcessed(state.iterations() * bench::endpoints);
}

/// From the reader's message to the worker's: one delivery for each of 256
/// endpoints, in so many partitions.
void from_claim_to_request(benchmark::State& state) {
  measure(state, [](auto claimed, auto) { return claimed; });
}
BENCHMARK(from_claim_to_request)->Arg(256)->Arg(1)->UseManualTime();

/// From the result in the inbox to the outcome in the box.
void from_result_to_outcome(benchmark::State& state) {
  measure(state, [](auto, auto answered) { return answered; });
}
BENCHMARK(from_result_to_outcome)->Arg(256)->Arg(1)->UseManualTime();

} // namespace
} // namespace postrider
