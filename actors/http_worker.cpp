#include "actors/http_worker.hpp"

#include "actors/loop_unit.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace postrider::actors {

namespace {

struct worker_loop {
  std::shared_ptr<net::http_client> client;
  std::shared_ptr<loop_unit> unit;
};

void submit(const worker_loop& loop, http_job_list& jobs) {
  std::vector<std::pair<net::http_request, net::http_client::callback>> out;
  out.reserve(jobs.size());
  for (auto& job : jobs)
    out.emplace_back(std::move(job.request),
                     [unit = loop.unit, id = job.id,
                      to = std::move(job.reply_to)](attempt_result result) {
                       unit->finished(to, id, std::move(result));
                     });
  loop.client->send(std::move(out));
}

http_worker_actor::behavior_type
http_worker(http_worker_actor::pointer self,
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
