#include "actors/attempt_log.hpp"
#include "actors/partition_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

// What becomes of an attempt: from its result to the outcome that is written,
// or back into its line when this node is to blame.

namespace postrider::actors {

using namespace std::chrono;

void partition_state::collect() {
  auto fresh = inbox->take();
  std::move(fresh.begin(), fresh.end(), std::back_inserter(collected));
  bool ended = false;
  while (!collected.empty()) {
    ended |= finished(collected.front().job, collected.front().what);
    collected.pop_front();
  }
  if (!ended)
    return;
  pump();
  report_if_drained();
}

bool partition_state::finished(std::int64_t ticket, attempt_result& result) {
  const auto place = running.find(ticket);
  // A second answer, or one for an attempt that was given up as silent: the
  // next attempt of the same delivery may be on its way by now.
  if (place == running.end())
    return false;
  const auto id = place->second;
  auto& open = works.at(id);
  handling = id;
  // It is in flight until its outcome is kept: should this fail, a successor
  // finds the result still to be dealt with.
  const auto end_flight = [&] {
    running.erase(place);
    stop_running(open);
  };
  if (options.flights->convicted(id)) {
    options.flights->forget(id);
    settle(open, {delivery_state::failed, end_reason::crashed, {}}, {});
    end_flight();
    drop(id);
    handling = 0;
    return true;
  }
  const auto& to = *open.what.to;
  auto policy = to.retry;
  policy.max_attempts = limit_of(open.what);
  auto plan =
      plan_settlement(result, policy, open.what.row.attempts + 1,
                      remaining(open.what), options.around.wall_clock(),
                      options.around.chance(), options.retry_after_max,
                      to.retry_statuses ? &*to.retry_statuses : nullptr);
  if (is_ours(open, result, plan)) {
    end_flight();
    defer(id);
    handling = 0;
    return false;
  }
  judge(guard_of(open.what.to), open, plan);
  settle(open, plan, std::move(result));
  end_flight();
  drop(id);
  handling = 0;
  return true;
}

/// Whether this node is to blame, not the receiver.
bool partition_state::is_ours(const open_attempt& open,
                              const attempt_result& result,
                              const settlement_plan& plan) {
  if (plan.state == delivery_state::queued) {
    if (result.error == attempt_error::local_resources) {
      options.ours->short_of_resources(now());
      meters().deferred_resources.add();
    } else {
      meters().deferred_stopping.add();
    }
    return true;
  }
  if (!options.ours->is_ours(open.what.row.endpoint, result, now()))
    return false;
  health().ours.add();
  return true;
}

void partition_state::defer(std::int64_t id) {
  ++options.counters->deferred;
  if (draining || shut_out(works.at(id).what)) {
    drop(id);
    report_if_drained();
    return;
  }
  waiting.put_back(works.at(id).what.row);
  const auto until = options.ours->closed(now());
  pump_in(until ? *until - now() : nanoseconds{options.defer});
}

/// One timer for whatever comes first.
void partition_state::pump_in(nanoseconds after) {
  const auto at = now() + after;
  if (timer && *timer <= at)
    return;
  timer = at;
  self->delayed_send(self, std::max<nanoseconds>(after, 1ms), atom::again_v);
}

void partition_state::again() {
  timer.reset();
  for (const auto endpoint : std::exchange(paced, {}))
    waiting.block(endpoint, false);
  for (const auto endpoint : std::exchange(at_gates, {}))
    if (auto* of = find_guard(endpoint))
      send_gate(*of);
  pump();
}

void partition_state::stop_running(open_attempt& open) {
  if (std::exchange(open.seated, false))
    options.tenants->leave(open.what.to->tenant);
  if (!std::exchange(open.running, false))
    return;
  if (auto* of = find_guard(open.what.row.endpoint))
    --of->running;
}

void partition_state::settle(const open_attempt& open,
                             const settlement_plan& plan,
                             attempt_result&& result) {
  auto out = settlement_of(open.what, plan);
  out.status = result.status;
  out.error = result.error;
  out.started = open.started;
  out.endpoint_version = open.version;
  out.duration = duration_cast<milliseconds>(now() - open.started);
  log_attempt(options.log, open.what, plan, &result, out.duration);
  if (plan.state != delivery_state::succeeded)
    out.response = std::move(result.body_excerpt);
  keep(std::move(out));
}

void partition_state::settle_unsent(const work& what,
                                    const settlement_plan& plan) {
  auto out = settlement_of(what, plan);
  out.sent = false;
  out.started = now();
  if (plan.state == delivery_state::held)
    health().held.add();
  else
    log_attempt(options.log, what, plan, nullptr, {});
  keep(std::move(out));
}

void partition_state::keep(store::settlement&& outcome) {
  note_heirloom(outcome);
  const auto settler = options.outcomes->put(std::move(outcome));
  if (!heirlooms.empty())
    left_unwritten = options.outcomes->came();
  if (settler)
    self->send(*settler, atom::settle_v);
}

store::settlement
partition_state::settlement_of(const work& what,
                               const settlement_plan& plan) const {
  store::settlement out;
  out.partition = options.lease.partition;
  out.epoch = options.lease.epoch;
  out.delivery = what.row.id;
  out.endpoint = what.row.endpoint;
  out.event = what.row.event;
  out.attempts = what.row.attempts;
  out.state = plan.state;
  out.reason = plan.reason;
  out.wait = plan.wait;
  // Operators are told of it by this name.
  if (plan.reason == end_reason::exhausted
      || plan.reason == end_reason::expired)
    out.name = delivery_public_id(
        {what.row.id, what.row.partition, salt_of(what.row.event)});
  return out;
}

void partition_state::drop(std::int64_t id) {
  const auto place = works.find(id);
  const auto& row = place->second.what.row;
  const auto endpoint = row.endpoint;
  waiting.finish(endpoint, row.stream);
  works.erase(place);
  heirlooms.erase(id);
  // A trial waits for what is in flight.
  if (const auto* of = find_guard(endpoint);
      of && of->trying != 0 && of->running == 0)
    set_lane(*of);
}

} // namespace postrider::actors
