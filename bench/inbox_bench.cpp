#include "actors/attempt_inbox.hpp"
#include "actors/http_worker.hpp"
#include "bench/samples.hpp"
#include "tests/actors/fakes.hpp"

#include <benchmark/benchmark.h>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <atomic>

namespace postrider {
namespace {

/// A result put into the inbox of its partition and taken out, so many at a
/// time.
void put_and_take_results(benchmark::State& state) {
  actors::attempt_inbox inbox;
  attempt_result good;
  good.status = 204;
  for (auto step : state) {
    for (std::int64_t i = 0; i < state.range(0); ++i)
      inbox.put(i, good);
    benchmark::DoNotOptimize(inbox.take());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(put_and_take_results)->Arg(1)->Arg(32);

/// From a job for the HTTP worker over the thread of its loop, which wakes up
/// for so many at a time, to the driver that hears of the results. No socket is
/// opened: the guard refuses the address.
void through_worker_and_loop(benchmark::State& state) {
  const auto many = state.range(0);
  caf::actor_system_config config;
  caf::actor_system system{config};
  const auto loop =
      std::make_shared<net::http_client>(net::http_client_options{});
  const auto inbox = std::make_shared<actors::attempt_inbox>();
  std::atomic<std::int64_t> done{0};
  testing::driver_ears ears;
  ears.finished = [&] {
    done += std::ssize(inbox->take());
    done.notify_one();
  };
  const auto driver = system.spawn(testing::listening_driver, ears);
  inbox->belongs_to(driver);
  const auto worker = actors::spawn_http_worker(system, loop);
  actors::http_job job;
  job.request.target = std::get<url>(parse_url("http://127.0.0.1:9/in"));
  job.request.body = bench::event().payload;
  for (auto step : state) {
    done = 0;
    actors::http_job_list jobs(static_cast<std::size_t>(many), job);
    std::int64_t ticket = 0;
    for (auto& one : jobs)
      one.reply_to = std::make_shared<actors::attempt_ticket>(inbox, ++ticket);
    caf::anon_send(worker, atom::attempt_v, std::move(jobs));
    for (auto got = done.load(); got < many; got = done.load())
      done.wait(got);
  }
  loop->stop();
  caf::anon_send_exit(worker, caf::exit_reason::kill);
  caf::anon_send_exit(driver, caf::exit_reason::kill);
  state.SetItemsProcessed(state.iterations() * many);
}
BENCHMARK(through_worker_and_loop)->Arg(1)->Arg(32)->UseRealTime();

} // namespace
} // namespace postrider
