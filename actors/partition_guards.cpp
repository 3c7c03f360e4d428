#include "actors/ending.hpp"
#include "actors/partition_state.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <utility>

namespace postrider::actors {

using namespace std::chrono;

namespace {

// What a breaker knows beyond the database is worth more than its memory for
// so long.
constexpr minutes forget_after{60};
constexpr seconds forget_plain_after{30};
// A look at whether outcomes are written.
constexpr milliseconds until_written{20};

bool is_holding(permit::mode what) {
  return what == permit::mode::hold || what == permit::mode::trial;
}

} // namespace

partition_state::~partition_state() {
  for (const auto& [endpoint, of] : guards)
    end_actor(of.breaker);
  health().breakers -= std::ssize(guards);
  flights left{{}, inbox, tickets};
  for (auto& [id, open] : works) {
    // Its successor's attempts take no seat: a little more goes out then.
    if (std::exchange(open.seated, false))
      options.tenants->leave(open.what.to->tenant);
    if (open.running)
      left.open.push_back(std::move(open));
  }
  inbox->put_back(std::move(collected));
  if (entered)
    options.flights->leave(options.lease, std::move(left), handling);
}

// -- guards ------------------------------------------------------------------

partition_state::guard* partition_state::find_guard(std::int64_t endpoint) {
  const auto place = guards.find(endpoint);
  return place == guards.end() ? nullptr : &place->second;
}

partition_state::guard& partition_state::guard_of(const endpoint_ptr& to) {
  const auto [place, fresh] = guards.try_emplace(to->id);
  auto& of = place->second;
  of.used = now();
  if (fresh) {
    of.to = to;
    of.seat = seat_of(to->tenant);
    of.held_upto = entered_at;
    ++health().breakers;
    spawn_guard(of, false);
  }
  return of;
}

void partition_state::spawn_guard(guard& of, bool successor) {
  of.word = {};
  of.trying = 0;
  of.asked = false;
  of.breaker = spawn_breaker(
      self->system(),
      {options.lease, options.health, options.log, options.counters, successor},
      of.to, self, with.health);
  self->monitor(of.breaker);
}

/// A breaker that failed is started again with what is on record.
void partition_state::down(const caf::down_msg& what) {
  const auto place = std::ranges::find_if(guards, [&](const auto& item) {
    return item.second.breaker == what.source;
  });
  if (place == guards.end())
    return;
  ++options.counters->restarts;
  options.log(level::error, name, "a breaker failed and is started again");
  if (!failures.failed(now())) {
    options.log(level::error, name, "breakers fail too often");
    self->quit(caf::exit_reason::unhandled_exception);
    return;
  }
  waiting.allow(place->first, 0); // until its successor has spoken
  spawn_guard(place->second, true);
}

/// Those without work are dropped: their endpoints' health is in the database.
void partition_state::forget_idle() {
  std::erase_if(guards, [this](auto& item) {
    auto& [endpoint, of] = item;
    if (of.running > 0 || of.at_gate > 0 || waiting.knows(endpoint))
      return false;
    const auto idle = now() - of.used;
    if (idle < forget_plain_after || (of.word.keep && idle < forget_after))
      return false;
    self->demonitor(of.breaker->address());
    end_actor(of.breaker);
    metered.erase(endpoint);
    crowded.erase(endpoint);
    paced.erase(endpoint);
    --health().breakers;
    return true;
  });
}

void partition_state::apply(const live_options_ptr& fresh) {
  apply_live(*fresh, options);
  for (const auto& [endpoint, of] : guards)
    self->send(of.breaker, atom::apply_v, fresh);
}

// -- what is read for a guarded endpoint -------------------------------------

partition_state::admission partition_state::admit(guard& of,
                                                  const delivery& row) {
  switch (of.word.what) {
  case permit::mode::wait:
  case permit::mode::open:
    // What was read before the gate was set may be out of order.
    return of.at_gate > 0 ? admission::back : admission::line;
  case permit::mode::trial:
    if (row.trial && of.trying == 0 && of.at_gate == 0) {
      of.trying = row.id;
      return admission::line;
    }
    [[fallthrough]];
  case permit::mode::hold:
    return row.held ? admission::back : admission::hold;
  case permit::mode::park:
    return admission::back;
  case permit::mode::stop:
    return admission::cancel;
  }
  return admission::line;
}

void partition_state::turn_away(const work& what, admission how,
                                id_list& back) {
  if (how == admission::back) {
    back.push_back(what.row.id);
  } else if (how == admission::hold) {
    settle_unsent(what, {delivery_state::held, end_reason::none, {}});
    guard_of(what.to).held_upto = options.outcomes->came();
  } else {
    settle_unsent(
        what, {delivery_state::cancelled, end_reason::endpoint_disabled, {}});
  }
}

/// What could not be begun may not begin any more: its endpoint has become
/// sick meanwhile, or its receiver wants rest.
bool partition_state::shut_out(const work& what) {
  auto* of = find_guard(what.row.endpoint);
  if (!of || of->word.what == permit::mode::wait
      || of->word.what == permit::mode::open || of->trying == what.row.id)
    return false;
  const auto how = admit(*of, what.row);
  if (how == admission::line)
    return false; // it is the trial that is wanted now
  id_list back;
  turn_away(what, how, back);
  if (!back.empty())
    self->send(with.reader, atom::left_v, std::move(back));
  return true;
}

void partition_state::set_lane(const guard& of) {
  const auto endpoint = of.to->id;
  const bool free = of.word.what == permit::mode::open && !of.word.metered;
  waiting.allow(endpoint, free                                ? lines::unlimited
                          : of.trying != 0 && of.running == 0 ? 1
                                                              : 0);
  if (crowded.contains(endpoint) || paced.contains(endpoint))
    waiting.block(endpoint, true);
}

// -- the word of a breaker ---------------------------------------------------

void partition_state::permitted(std::int64_t endpoint, const permit& word) {
  auto* found = find_guard(endpoint);
  if (!found || draining)
    return;
  auto& of = *found;
  const bool known = word.reopen && is_reopening(endpoint, of);
  const auto was = std::exchange(of.word, word);
  of.word.reopen = word.reopen && !known;
  if (word.metered)
    metered.insert(endpoint);
  else
    metered.erase(endpoint);
  of.asked = false;
  if (word.tokens > 0) {
    waiting.allow(endpoint, word.tokens);
    pump();
    return;
  }
  const bool changed = was.what != word.what || of.word.reopen;
  if (changed || word.what == permit::mode::trial)
    follow(of, was.what);
  else if (word.what == permit::mode::stop) // it asks what is in flight
    self->send(of.breaker, atom::stop_v, running_of(endpoint));
  set_lane(of);
  pump();
}

void partition_state::follow(guard& of, permit::mode was) {
  // A trial that is given up may still wait for what is in flight.
  const bool given_up =
      of.word.what != permit::mode::trial && std::exchange(of.trying, 0) != 0;
  switch (of.word.what) {
  case permit::mode::wait:
    break;
  case permit::mode::open:
    of.reopened += of.word.reopen && of.reading;
    // Of a breaker that has failed its successor may know nothing.
    if (of.word.reopen || of.gated)
      set_gate(of, read_gate::reopen);
    break;
  case permit::mode::hold:
    if (!is_holding(was) || of.at_gate > 0 || given_up)
      set_gate(of, read_gate::hold);
    break;
  case permit::mode::trial:
    if (!is_holding(was)) // the word before was lost
      set_gate(of, read_gate::hold);
    if (of.trying == 0)
      set_gate(of, read_gate::trial);
    break;
  case permit::mode::park:
    set_gate(of, read_gate::park);
    break;
  case permit::mode::stop:
    set_gate(of, read_gate::hold);
    self->send(of.breaker, atom::stop_v, running_of(of.to->id));
    break;
  }
}

/// What waits here goes back: it is read again when the gate lets it, and held
/// or cancelled by the breaker's statements otherwise.
void partition_state::set_gate(guard& of, read_gate how) {
  if (how != read_gate::trial)
    for (const auto& row : waiting.clear(of.to->id)) {
      works.erase(row.id);
      heirlooms.erase(row.id);
      of.given_back.push_back(row.id);
    }
  if (at_gates.erase(of.to->id) == 0)
    ++of.at_gate;
  of.gate = how;
  if (how != read_gate::trial) {
    of.gated = how != read_gate::reopen;
    of.reading = how == read_gate::reopen;
  }
  send_gate(of);
}

void partition_state::send_gate(guard& of) {
  of.gate_at = now();
  const bool lets_through =
      of.gate == read_gate::reopen || of.gate == read_gate::trial;
  if (lets_through && options.outcomes->ended() < of.held_upto) {
    at_gates.insert(of.to->id);
    pump_in(until_written);
    return;
  }
  at_gates.erase(of.to->id);
  self->send(with.reader, atom::gate_v,
             gate_change{options.lease.partition, of.to->id, of.gate,
                         std::exchange(of.given_back, {})});
}

void partition_state::gate_set(std::int64_t endpoint) {
  if (auto* of = find_guard(endpoint); of && of->at_gate > 0)
    --of->at_gate;
}

void partition_state::gate_read(std::int64_t endpoint) {
  // While a gate is not confirmed this is said of the one before.
  auto* of = find_guard(endpoint);
  if (!of || of->trying != 0 || of->at_gate > 0)
    return;
  of->reading = false;
  of->reopened = 0;
  self->send(of->breaker, atom::gate_v);
}

/// The trial ended without a request: the next one is looked for.
void partition_state::trial_is_void(const work& what) {
  auto* of = find_guard(what.row.endpoint);
  if (!of || of->trying != what.row.id)
    return;
  of->trying = 0;
  self->send(of->breaker, atom::gate_v);
}

id_list partition_state::running_of(std::int64_t endpoint) const {
  id_list out;
  for (const auto& [ticket, id] : running)
    if (works.at(id).what.row.endpoint == endpoint)
      out.push_back(id);
  return out;
}

void partition_state::clock(const clock_list& all) {
  if (draining)
    return;
  for (const auto& one : all) {
    auto& of = guard_of(one.of);
    of.to = one.of;
    self->send(of.breaker, atom::changed_v, one.of);
    self->send(of.breaker, atom::clock_v, one.held);
  }
}

// -- what an attempt says of the endpoint ------------------------------------

void partition_state::judge(guard& of, const open_attempt& open,
                            settlement_plan& plan) {
  // Not one of a breaker before this one, which ends while another waits.
  const bool tried = of.trying == open.what.row.id;
  if (tried)
    of.trying = 0;
  of.used = now();
  if (plan.state == delivery_state::retrying) {
    if (is_holding(of.word.what))
      plan.state = delivery_state::held;
    else if (of.word.what == permit::mode::stop)
      plan = {delivery_state::cancelled,
              end_reason::endpoint_disabled,
              {},
              plan.effect,
              plan.asked,
              plan.pause};
  }
  if (!tried && plan.effect == health_effect::clears && !of.word.listen) {
    ++of.successes;
    return;
  }
  if (!tried && plan.effect == health_effect::none && plan.pause == 0ms)
    return;
  health_report out;
  out.sign = {plan.effect, open.what.row.attempts == 0, tried, plan.asked};
  out.successes = std::exchange(of.successes, 0);
  out.pause = plan.pause;
  self->send(of.breaker, atom::report_v, out);
  // Nothing more begins before its breaker has said what follows.
  if (plan.effect != health_effect::clears)
    waiting.allow(open.what.row.endpoint, 0);
}

} // namespace postrider::actors
