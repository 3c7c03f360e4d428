#include "actors/partition.hpp"

#include "actors/partition_state.hpp"
#include "core/caution.hpp"
#include "core/failpoint.hpp"
#include "core/public_id.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <utility>

namespace postrider::actors {

using namespace std::chrono;

void partition_state::claimed(const work_list& some) {
  if (!entered) {
    early.push_back(some);
    return;
  }
  POSTRIDER_FAILPOINT("partition.claimed");
  id_list back;
  forget_settled();
  for (const auto& one : some) {
    doubted.erase(one.row.id);
    if (draining || works.contains(one.row.id))
      continue;
    if (is_outdated(one.row)) {
      back.push_back(one.row.id);
      continue;
    }
    if (is_deadly(one))
      continue;
    handling = one.row.id;
    if (one.to) {
      auto& of = guard_of(one.to);
      if (of.to->version < one.to->version)
        learn_late(of, one.to);
      if (const auto how = admit(of, one.row); how != admission::line) {
        turn_away(one, how, back);
        continue;
      }
      if (!waiting.knows(one.row.endpoint)) {
        waiting.configure(one.row.endpoint, one.to->order,
                          one.to->max_in_flight);
        set_lane(of);
      } else if (of.trying == one.row.id) {
        set_lane(of);
      }
    }
    works.emplace(one.row.id, open_attempt{one});
    waiting.add(one.row);
  }
  handling = 0;
  if (!back.empty())
    self->send(with.reader, atom::left_v, std::move(back));
  pump();
}

void partition_state::pump() {
  if (is_careful()) {
    pump_carefully();
    return;
  }
  if (on_record && !marking) {
    end_turn();
    clear_record();
  }
  http_job_list jobs;
  const auto send = [&] {
    if (!jobs.empty())
      self->send(with.worker, atom::attempt_v, std::move(jobs));
  };
  try {
    begin_all(jobs);
  } catch (...) {
    send(); // those before it have begun
    throw;
  }
  handling = 0;
  send();
  ask_for_tokens();
}

void partition_state::begin_all(http_job_list& jobs) {
  while (!draining && now() < good_until) {
    if (const auto until = options.ours->closed(now())) {
      pump_in(*until - now());
      break;
    }
    const auto next = waiting.take();
    if (!next)
      break;
    if (!begin(*next, jobs))
      break;
  }
}

bool partition_state::begin(const delivery& row, http_job_list& jobs) {
  handling = row.id;
  POSTRIDER_FAILPOINT("partition.begin");
  auto& open = works.at(row.id);
  if (const auto end = refuse(open.what)) {
    settle_unsent(open.what, *end);
    trial_is_void(open.what);
    drop(row.id);
    return true;
  }
  auto& of = guard_of(open.what.to);
  if (!tenant_lets(of, open)) {
    waiting.put_back(row);
    return true;
  }
  if (!options.ours->admit(now())) {
    stop_running(open);
    waiting.put_back(row);
    pump_in(options.defer);
    return false;
  }
  POSTRIDER_FAILPOINT("partition.begin." + open.what.event->type);
  // May fail, and nothing has begun then.
  auto headers = signed_headers(open.what);
  open.started = now();
  open.version = open.what.to->version;
  open.running = true;
  open.ticket = ++tickets;
  ++of.running;
  running.emplace(open.ticket, row.id);
  const auto& [ignored, event, to, read_at] = open.what;
  jobs.push_back(
      {{*to->target, std::move(headers), event->payload,
        connect_timeout_of(*to), timeout_of(*to), "POST", options.begin_before},
       std::make_shared<attempt_ticket>(inbox, open.ticket)});
  return true;
}

header_lines partition_state::signed_headers(const work& what) {
  const auto began = steady_clock::now();
  auto out = attempt_headers(*what.to, *what.event, what.row,
                             options.around.wall_clock(), options.wire);
  meters().signing.observe(steady_clock::now() - began);
  meters().signed_v1.add(what.to->keys.size());
  return out;
}

milliseconds partition_state::timeout_of(const endpoint& to) const {
  return to.timeout.count() > 0 ? to.timeout : options.timeout;
}

milliseconds partition_state::connect_timeout_of(const endpoint& to) const {
  return to.connect_timeout.count() > 0 ? to.connect_timeout
                                        : options.connect_timeout;
}

std::optional<settlement_plan> partition_state::refuse(const work& what) const {
  if (!what.to || what.to->deleted)
    return settlement_plan{
        delivery_state::cancelled, end_reason::endpoint_deleted, {}};
  if (!what.event || !what.to->target
      || !may_sign(*what.to, options.around.wall_clock()))
    return settlement_plan{delivery_state::failed, end_reason::unusable, {}};
  if (what.row.attempts >= limit_of(what))
    return settlement_plan{delivery_state::failed, end_reason::exhausted, {}};
  if (remaining(what) <= 0ms)
    return settlement_plan{delivery_state::failed, end_reason::expired, {}};
  return std::nullopt;
}

int partition_state::limit_of(const work& what) {
  return what.row.max_attempts > 0 ? what.row.max_attempts
                                   : what.to->retry.max_attempts;
}

milliseconds partition_state::remaining(const work& what) const {
  return what.row.remaining - duration_cast<milliseconds>(now() - what.read_at);
}

void partition_state::endpoints_changed(const endpoint_list& changed) {
  for (const auto& to : changed) {
    if (auto* of = find_guard(to->id)) {
      of->to = to;
      self->send(of->breaker, atom::changed_v, to);
    }
    if (!waiting.knows(to->id))
      continue;
    waiting.configure(to->id, to->order, to->max_in_flight);
    for (auto& [id, open] : works)
      if (open.what.row.endpoint == to->id && !open.running)
        open.what.to = to;
  }
  pump();
}

/// The word of a change was lost or is still to come: until the breaker has
/// spoken of it nothing more begins, as the endpoint may have become sick.
void partition_state::learn_late(guard& of, const endpoint_ptr& to) {
  if (of.word.what == permit::mode::open) {
    of.word.what = permit::mode::wait;
    set_lane(of);
  }
  endpoints_changed({to});
  // A report of nothing is answered with its word.
  self->send(of.breaker, atom::report_v, health_report{});
}

void partition_state::renew(time_point until) {
  good_until = until;
  pump();
}

/// Said again and again until what it leads to was heard.
void partition_state::drain() {
  draining = true;
  reported = false;
  for (const auto& row : waiting.clear())
    works.erase(row.id);
  report_if_drained();
}

void partition_state::report_if_drained() {
  if (!draining || reported || !entered || waiting.in_flight() > 0)
    return;
  // What was settled so far has to be written before another node reads.
  if (options.outcomes->tell_when_written(self))
    return;
  reported = true;
  self->send(with.supervisor, atom::drained_v, options.lease.partition);
}

namespace {

partition_actor::behavior_type
partition(partition_ptr self, partition_options options, partition_peers with) {
  auto& st = self->state;
  st.options = std::move(options);
  st.with = std::move(with);
  st.calm_at = st.now() + calm_after;
  self->set_down_handler([&st](caf::down_msg& what) { st.down(what); });
  self->delayed_send(self, seconds{1}, atom::tick_v);
  st.enter();
  return {
      [&st](atom::claimed, const work_list& some) { st.claimed(some); },
      [&st](atom::finished) { st.collect(); },
      [&st](atom::endpoints, const endpoint_list& changed) {
        st.endpoints_changed(changed);
      },
      [&st](atom::permit, std::int64_t endpoint, const permit& word) {
        st.permitted(endpoint, word);
      },
      [&st](atom::gate, std::int64_t endpoint) { st.gate_set(endpoint); },
      [&st](atom::own, std::int64_t endpoint) { st.gate_read(endpoint); },
      [&st](atom::clock, const clock_list& all) { st.clock(all); },
      [&st](atom::free, const std::string& tenant) { st.tenant_free(tenant); },
      [&st](atom::renew, time_point until) { st.renew(until); },
      [&st](atom::drain) { st.drain(); },
      [&st](atom::apply, const live_options_ptr& fresh) { st.apply(fresh); },
      [&st](atom::again) { st.again(); },
      [&st](atom::start) { st.enter(); },
      [&st](atom::tick) { st.tick(); },
  };
}

} // namespace

partition_actor spawn_partition(caf::actor_system& system,
                                partition_options options,
                                partition_peers with) {
  return system.spawn(partition, std::move(options), std::move(with));
}

} // namespace postrider::actors
