#include "actors/partition.hpp"

#include "actors/attempt_log.hpp"
#include "actors/metered.hpp"
#include "core/failpoint.hpp"
#include "core/lines.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace postrider::actors {

namespace {

using namespace std::chrono;

struct partition_state;
using partition_ptr = metered_pointer<partition_actor, partition_state>;

struct partition_state {
  static constexpr const char* name = "partition";

  explicit partition_state(partition_ptr owner) : self{owner} {}

  struct open_attempt {
    work what;
    time_point started{};     ///< not yet: the epoch
    std::int64_t version = 0; ///< of the endpoint, when it was started
    bool running = false;
    std::int64_t ticket = 0; ///< of the attempt that runs
  };

  time_point now() const { return self->clock().now(); }

  partition_meters& meters() {
    return options.counters->meters.partition_of(options.lease.partition);
  }

  void claimed(const work_list& some) {
    POSTRIDER_FAILPOINT("partition.claimed");
    for (const auto& one : some) {
      if (draining || works.contains(one.row.id))
        continue;
      works.emplace(one.row.id, open_attempt{one, {}, false, 0});
      if (one.to && !waiting.knows(one.row.endpoint))
        waiting.configure(one.row.endpoint, one.to->order,
                          one.to->max_in_flight);
      waiting.add(one.row);
    }
    pump();
  }

  /// Starts what may start; the requests go to the worker in one message.
  void pump() {
    http_job_list jobs;
    while (!draining && now() < good_until) {
      const auto next = waiting.take();
      if (!next)
        break;
      begin(next->id, jobs);
    }
    if (!jobs.empty())
      self->send(worker, atom::attempt_v, std::move(jobs));
  }

  void begin(std::int64_t id, http_job_list& jobs) {
    POSTRIDER_FAILPOINT("partition.begin");
    auto& open = works.at(id);
    if (const auto end = refuse(open.what)) {
      settle_unsent(id, *end);
      return;
    }
    open.started = now();
    open.version = open.what.to->version;
    open.running = true;
    open.ticket = ++tickets;
    running.emplace(open.ticket, id);
    const auto& [row, event, to, read_at] = open.what;
    jobs.push_back({open.ticket,
                    {*to->target, signed_headers(open.what), event->payload,
                     connect_timeout_of(*to), timeout_of(*to)},
                    self});
  }

  header_lines signed_headers(const work& what) {
    const auto began = steady_clock::now();
    auto out = attempt_headers(*what.to, *what.event, what.row,
                               options.around.wall_clock(), options.wire);
    meters().signing.observe(steady_clock::now() - began);
    meters().signed_v1.add(what.to->keys.size());
    return out;
  }

  milliseconds timeout_of(const endpoint& to) const {
    return to.timeout.count() > 0 ? to.timeout : options.timeout;
  }

  milliseconds connect_timeout_of(const endpoint& to) const {
    return to.connect_timeout.count() > 0 ? to.connect_timeout
                                          : options.connect_timeout;
  }

  /// Why a delivery ends without a request; nothing when it may be sent.
  std::optional<settlement_plan> refuse(const work& what) const {
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

  /// Attempts in all: the row's own limit, or that of the endpoint's policy.
  static int limit_of(const work& what) {
    return what.row.max_attempts > 0 ? what.row.max_attempts
                                     : what.to->retry.max_attempts;
  }

  milliseconds remaining(const work& what) const {
    return what.row.remaining
           - duration_cast<milliseconds>(now() - what.read_at);
  }

  void finished(std::int64_t ticket, attempt_result& result) {
    const auto place = running.find(ticket);
    // A second answer, or one for an attempt that was given up as silent: the
    // next attempt of the same delivery may be on its way by now.
    if (place == running.end())
      return;
    const auto id = place->second;
    running.erase(place);
    auto& open = works.at(id);
    auto policy = open.what.to->retry;
    policy.max_attempts = limit_of(open.what);
    const auto plan =
        plan_settlement(result, policy, open.what.row.attempts + 1,
                        remaining(open.what), options.around.wall_clock(),
                        options.around.chance(), options.retry_after_max);
    if (plan.state == delivery_state::queued) {
      (result.error == attempt_error::local_resources
           ? meters().deferred_resources
           : meters().deferred_stopping)
          .add();
      defer(id, open);
      return;
    }
    settle(open, plan, std::move(result));
    drop(id);
    pump();
    report_if_drained();
  }

  /// Ours, not theirs: no attempt is spent, and its stream keeps its place.
  void defer(std::int64_t id, open_attempt& open) {
    open.running = false;
    ++options.counters->deferred;
    if (draining) {
      drop(id);
      report_if_drained();
      return;
    }
    self->delayed_send(self, options.defer, atom::again_v, id);
  }

  void again(std::int64_t id) {
    const auto place = works.find(id);
    if (place == works.end() || place->second.running)
      return;
    if (draining) {
      drop(id);
      report_if_drained();
      return;
    }
    if (now() >= good_until) {
      self->delayed_send(self, options.defer, atom::again_v, id);
      return;
    }
    http_job_list jobs;
    begin(id, jobs);
    if (jobs.empty())
      pump();
    else
      self->send(worker, atom::attempt_v, std::move(jobs));
  }

  void settle(const open_attempt& open, const settlement_plan& plan,
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
    self->send(settler, atom::settle_v, settlement_list{std::move(out)});
  }

  void settle_unsent(std::int64_t id, const settlement_plan& plan) {
    auto out = settlement_of(works.at(id).what, plan);
    out.sent = false;
    out.started = now();
    log_attempt(options.log, works.at(id).what, plan, nullptr, {});
    self->send(settler, atom::settle_v, settlement_list{std::move(out)});
    drop(id);
  }

  store::settlement settlement_of(const work& what,
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
    return out;
  }

  /// The delivery leaves the line it was taken from.
  void drop(std::int64_t id) {
    const auto place = works.find(id);
    const auto& row = place->second.what.row;
    waiting.finish(row.endpoint, row.stream);
    works.erase(place);
  }

  void endpoints_changed(const endpoint_list& changed) {
    for (const auto& to : changed) {
      if (!waiting.knows(to->id))
        continue;
      waiting.configure(to->id, to->order, to->max_in_flight);
      for (auto& [id, open] : works)
        if (open.what.row.endpoint == to->id && !open.running)
          open.what.to = to;
    }
    pump();
  }

  void renew(time_point until) {
    good_until = until;
    pump();
  }

  void drain() {
    draining = true;
    for (const auto& row : waiting.clear())
      works.erase(row.id);
    report_if_drained();
  }

  void report_if_drained() {
    if (!draining || reported || waiting.in_flight() > 0)
      return;
    reported = true;
    // What was settled so far has to be written before another node reads.
    self->request(settler, seconds{60}, atom::flush_v)
        .then([this](bool) { tell_drained(); },
              // The lease runs out by itself; the rows go out again (G2).
              [this](const caf::error&) { tell_drained(); });
  }

  void tell_drained() {
    self->send(supervisor, atom::drained_v, options.lease.partition);
  }

  /// Attempts whose worker died with them would stay open for ever.
  void watch_silence() {
    std::vector<std::int64_t> silent;
    for (const auto& [id, open] : works)
      if (open.running
          && now()
                 > open.started + timeout_of(*open.what.to) + options.patience)
        silent.push_back(open.ticket);
    for (const auto ticket : silent) {
      options.log(level::warn, name,
                  "an attempt gave no answer; it counts as failed");
      attempt_result unknown;
      unknown.error = attempt_error::internal;
      meters().duplicates_silent.add();
      finished(ticket, unknown);
    }
    self->delayed_send(self, seconds{1}, atom::tick_v);
  }

  partition_ptr self;
  partition_options options;
  http_worker_actor worker;
  settler_actor settler;
  node_supervisor_actor supervisor;
  lines waiting;
  std::unordered_map<std::int64_t, open_attempt> works;
  std::unordered_map<std::int64_t, std::int64_t> running; ///< by ticket
  std::int64_t tickets = 0;
  time_point good_until{};
  bool draining = false;
  bool reported = false;
};

partition_actor::behavior_type partition(partition_ptr self,
                                         partition_options options,
                                         http_worker_actor worker,
                                         settler_actor settler,
                                         node_supervisor_actor supervisor) {
  auto& st = self->state;
  st.options = std::move(options);
  st.worker = std::move(worker);
  st.settler = std::move(settler);
  st.supervisor = std::move(supervisor);
  self->delayed_send(self, seconds{1}, atom::tick_v);
  return {
      [&st](atom::claimed, const work_list& some) { st.claimed(some); },
      [&st](atom::finished, std::int64_t ticket, attempt_result& result) {
        st.finished(ticket, result);
      },
      [&st](atom::endpoints, const endpoint_list& changed) {
        st.endpoints_changed(changed);
      },
      [&st](atom::renew, time_point until) { st.renew(until); },
      [&st](atom::drain) { st.drain(); },
      [&st](atom::apply, const live_options_ptr& fresh) {
        apply_live(*fresh, st.options);
      },
      [&st](atom::again, std::int64_t id) { st.again(id); },
      [&st](atom::tick) { st.watch_silence(); },
  };
}

} // namespace

partition_actor spawn_partition(caf::actor_system& system,
                                partition_options options,
                                http_worker_actor worker, settler_actor settler,
                                node_supervisor_actor supervisor) {
  return system.spawn(partition, std::move(options), std::move(worker),
                      std::move(settler), std::move(supervisor));
}

} // namespace postrider::actors
