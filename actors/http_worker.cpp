#include "actors/http_worker.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace postrider::actors {

namespace {

void submit(net::http_client& loop, http_job_list& jobs) {
  std::vector<std::pair<net::http_request, net::http_client::callback>> out;
  out.reserve(jobs.size());
  for (auto& job : jobs)
    out.emplace_back(std::move(job.request),
                     // On the loop's thread: nothing but a message.
                     [id = job.id, to = job.reply_to](attempt_result result) {
                       caf::anon_send(to, atom::finished_v, id,
                                      std::move(result));
                     });
  loop.send(std::move(out));
}

http_worker_actor::behavior_type
http_worker(http_worker_actor::pointer,
            std::shared_ptr<net::http_client> loop) {
  return {
      [loop = std::move(loop)](atom::attempt, http_job_list& jobs) {
        submit(*loop, jobs);
      },
  };
}

} // namespace

http_worker_actor spawn_http_worker(caf::actor_system& system,
                                    std::shared_ptr<net::http_client> loop) {
  return system.spawn(http_worker, std::move(loop));
}

} // namespace postrider::actors
