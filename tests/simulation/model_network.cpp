#include "tests/simulation/model_network.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace postrider::testing {

using namespace std::chrono_literals;

namespace {

std::string field(std::string_view text, const std::string& name) {
  const auto from = text.find(name + ": ");
  if (from == std::string_view::npos)
    return "";
  const auto begin = from + name.size() + 2;
  return std::string{text.substr(begin, text.find('\r', begin) - begin)};
}

attempt_result broken_by(attempt_error how) {
  attempt_result out;
  out.error = how;
  return out;
}

} // namespace

void model_network::send(const std::shared_ptr<node_link>& from,
                         const actors::http_job& job) {
  if (!from->alive)
    return;
  const auto text = job.request.headers.text();
  const auto number = ++numbers_;
  request one;
  one.from = from;
  one.reply_to = job.reply_to;
  one.endpoint = std::stoll(job.request.target.target.substr(1));
  one.deadline = in_.time.now() + job.request.timeout;
  one.line.number = number;
  one.line.endpoint = of_.public_name(one.endpoint);
  one.line.id = field(text, "webhook-id");
  one.line.event = field(text, "X-Postrider-Event-Id");
  one.line.attempt = std::stoi(field(text, "X-Postrider-Attempt"));
  one.line.sequence = std::stoll(field(text, "X-Postrider-Sequence"));
  one.line.sha256 = *job.request.body;
  one.line.signature = true; // none is asked for
  one.line.node = from->name;
  one.line.connection = number;
  const bool faults = !in_.healed;
  const bool offline = from->offline_until > in_.time.now();
  const bool refused = faults && in_.by.chance(in_.playing.unreached);
  one.line.at = in_.now();
  if (offline || refused)
    unreached_.push_back({one.line, offline});
  open_.emplace(number, std::move(one));
  if (offline)
    finish_at(in_.time.now() + job.request.connect_timeout, number,
              broken_by(attempt_error::connect_timeout));
  else if (refused)
    finish_at(in_.time.now() + trip(), number,
              broken_by(attempt_error::connect_refused));
  else
    in_.time.in(trip(), [this, number] { arrive(number); });
}

bool model_network::is_sick(std::int64_t endpoint) const {
  const auto place = sick_.find(endpoint);
  return place != sick_.end() && place->second.until > in_.time.now();
}

void model_network::arrive(std::int64_t number) {
  auto& one = open_.at(number);
  if (!one.from->alive) {
    // Its last byte had left, or had not.
    if (in_.by.chance(0.5)) {
      open_.erase(number);
      return;
    }
    in_.rare("arrived after its node was killed");
  }
  one.line.at = in_.now();
  in_.write(one.line);
  in_.seen.note(in_.now(), "arrival", one.line.sequence, one.line.attempt,
                number);
  in_.seen.say(in_.now(), "  from " + one.line.node + " at endpoint "
                              + std::to_string(one.endpoint));
  const bool faults = !in_.healed;
  const auto& p = in_.playing;
  const bool sick = is_sick(one.endpoint);
  if (sick ? sick_.at(one.endpoint).silently
           : faults && in_.by.chance(p.silent)) {
    finish_at(one.deadline, number, broken_by(attempt_error::timeout_response));
  } else if (!sick && faults && in_.by.chance(p.reset)) {
    decide(one.line, "reset", 0);
    finish_at(in_.time.now() + trip(), number,
              broken_by(attempt_error::connection_reset));
  } else if (!sick && faults && in_.by.chance(p.asks_rest)) {
    answer(one, 429, std::to_string(in_.by.upto(1, 12)));
  } else if (sick || (faults && in_.by.chance(p.fails))) {
    answer(one, in_.by.chance(0.8) ? 503 : 404, "");
  } else {
    answer(one, 204, "");
  }
}

void model_network::answer(const request& one, int status,
                           const std::string& rest) {
  const auto number = one.line.number;
  // Now and then so late that the node has given up meanwhile.
  const bool slow = !in_.healed && in_.by.chance(0.02);
  const auto after = slow ? nanos{1'200ms}
                          : nanos{std::chrono::microseconds{
                              in_.by.upto(200, in_.healed ? 5'000 : 60'000)}};
  const auto said = in_.time.now() + after;
  attempt_result how;
  how.status = status;
  if (!rest.empty())
    how.headers.push_back({"Retry-After", rest});
  if (const auto back = said + trip(); back < one.deadline)
    finish_at(back, number, how);
  else
    finish_at(one.deadline, number, broken_by(attempt_error::timeout_response));
  in_.time.at(said, [this, line = one.line, status, how] {
    decide(line, "status", status);
    if (const auto place = open_.find(line.number); place != open_.end())
      place->second.said = how;
  });
}

void model_network::decide(const arrival_line& on, const char* did,
                           int status) {
  in_.write(decision_line{on.number, did, status, in_.now()});
  in_.seen.note(in_.now(), did, on.sequence, status);
}

void model_network::finish_at(nanos when, std::int64_t number,
                              attempt_result how) {
  in_.time.at(when,
              [this, number, how = std::move(how)] { finish(number, how); });
}

void model_network::finish(std::int64_t number, const attempt_result& how) {
  auto& at = open_.at(number);
  // A process that stands still finds an answer that came meanwhile, whatever
  // its timers say.
  if (how.error == attempt_error::timeout_response) {
    if (at.from->paused_until > in_.time.now()) {
      at.stood_still = true;
      // It may be made to go on before its time.
      return finish_at(
          std::min<nanos>(at.from->paused_until, in_.time.now() + 10ms), number,
          how);
    }
    if (at.stood_still && at.said)
      return finish(number, attempt_result{*at.said});
  }
  const auto one = std::move(at);
  open_.erase(number);
  if (one.reply_to)
    one.reply_to->deliver(how);
}

void model_network::forget(const node_link& from) {
  for (auto& [number, one] : open_)
    if (one.from.get() == &from) {
      in_.rare("ended with a request on its way");
      one.reply_to.reset();
    }
}

void model_network::fall_ill(std::int64_t endpoint, nanos until,
                             bool silently) {
  sick_[endpoint] = {until, silently};
}

std::size_t model_network::on_their_way(const node_link& of) const {
  std::size_t out = 0;
  for (const auto& [number, one] : open_)
    out += one.from.get() == &of;
  return out;
}

namespace {

actors::http_worker_actor::behavior_type
worker(actors::http_worker_actor::pointer self, model_network* to,
       std::shared_ptr<node_link> of) {
  return {
      [=](atom::attempt, const actors::http_job_list& jobs) {
        of->driver = caf::actor_cast<caf::actor_addr>(self->current_sender());
        for (const auto& job : jobs)
          to->send(of, job);
      },
  };
}

} // namespace

actors::http_worker_actor spawn_model_worker(caf::actor_system& system,
                                             model_network& to,
                                             std::shared_ptr<node_link> of) {
  return system.spawn(worker, &to, std::move(of));
}

} // namespace postrider::testing
