#include "actors/http_worker.hpp"

#include "actors/loop_unit.hpp"
#include "actors/metered.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace postrider::actors {

namespace {

struct http_worker_state {
  static constexpr const char* name = "http_worker";

  explicit http_worker_state(
      metered_pointer<http_worker_actor, http_worker_state>) {}
};

struct worker_loop {
  std::shared_ptr<net::http_client> client;
  std::shared_ptr<loop_unit> unit;
};

void submit(const worker_loop& loop, http_job_list& jobs) {
  std::vector<std::pair<net::http_request, net::http_client::callback>> out;
  out.reserve(jobs.size());
  for (auto& job : jobs)
    out.emplace_back(std::move(job.request),
                     [unit = loop.unit,
                      to = std::move(job.reply_to)](attempt_result result) {
                       unit->finished(*to, std::move(result));
                     });
  loop.client->send(std::move(out));
}

http_worker_actor::behavior_type
http_worker(metered_pointer<http_worker_actor, http_worker_state> self,
            std::shared_ptr<net::http_client> client) {
  auto unit = std::make_shared<loop_unit>(self->system(), client);
  return {
      [loop = worker_loop{std::move(client), std::move(unit)}](
          atom::attempt, http_job_list& jobs) { submit(loop, jobs); },
  };
}

} // namespace

http_worker_actor spawn_http_worker(caf::actor_system& system,
                                    std::shared_ptr<net::http_client> loop) {
  return system.spawn(http_worker, std::move(loop));
}

} // namespace postrider::actors
