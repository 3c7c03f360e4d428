#include "actors/breaker.hpp"

#include "actors/breaker_state.hpp"
#include "core/public_id.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>

namespace postrider::actors {

using namespace std::chrono;

namespace {

// A shorter pause is waited for in line; a longer one frees the window.
constexpr milliseconds short_pause{1'000};
// A pause that is shorter is not worth a write.
constexpr milliseconds kept_pause{10'000};
// A word may be lost: it is said again until what it leads to was heard.
constexpr seconds reminded_after{5};
// No attempt takes as long; its result was lost with whoever ran it.
constexpr seconds trial_patience{90};

} // namespace

void breaker_state::adopt(const endpoint_ptr& fresh) {
  const bool first = !to;
  // What is held for it is read then, to end as cancelled.
  releasing = releasing
              || (!first && fresh->deleted && !to->deleted
                  && (paused || of.state != health_state::healthy));
  to = fresh;
  const auto* named = find_health_policy(to->health_policy);
  policy = named && to->health_policy != "default" ? *named : options.policy;
  pace.limit(to->rate, now());
  // While a move is under way its own answer tells what is on record: news of
  // it that came before would undo what has changed since.
  if (first || (!saving && to->health.revision > revision))
    take_record(to->health);
  decide();
  if (unsaved_return && !saving)
    save();
  begin_flip();
}

/// What is on record counts, whatever was believed.
void breaker_state::take_record(const health_record& record) {
  if (record.of.state != of.state) {
    failures.clear();
    trial_out = false;
    of = record.of;
  } else {
    const auto transient = of.transient_streak;
    const auto auth = of.auth_streak;
    of = record.of;
    of.transient_streak = transient;
    of.auth_streak = auth;
  }
  revision = record.revision;
  paused = record.paused;
  not_before = std::max(not_before, record.not_before);
  // What is new is held until it is on record that this has been heard.
  unsaved_return = record.resuming && !to->deleted;
  letting_in =
      policy.shed && of.state == health_state::suspended && !record.shedding;
  // What is held for a deleted endpoint is read too, and ends as cancelled.
  releasing = record.releasing || (to->deleted && record.holds());
  // Something was found that has to be cancelled too.
  if (releasing && of.state == health_state::disabled)
    flipped = flipping::none;
}

// -- the word ----------------------------------------------------------------

permit breaker_state::word() const {
  permit out;
  if (looking_up)
    return out;
  out.metered = pace.limited();
  out.listen = of.transient_streak > 0 || of.auth_streak > 0;
  out.keep = out.listen || out.metered || saving || flip || reopening
             || trial_out || pause_left() > 0ms;
  if (to->deleted) {
    out.what = permit::mode::open;
    out.metered = false;
  } else if (of.state == health_state::disabled) {
    out.what = permit::mode::stop;
  } else if (holding() || paused || unsaved_return) {
    out.what = trial_out ? permit::mode::trial : permit::mode::hold;
  } else if (pause_left() > short_pause
             || (told.what == permit::mode::park && pause_left() > 0ms)) {
    // To its end: what was parked is read anew only then.
    out.what = permit::mode::park;
  } else {
    out.what = pause_left() > 0ms ? permit::mode::wait : permit::mode::open;
  }
  return out;
}

/// The driver is told the whole, and only when something of it has changed.
void breaker_state::decide() {
  auto next = word();
  if (next.what == permit::mode::open) {
    // Out of a gate the rows are read anew.
    if (!reopening && (releasing || told.what == permit::mode::park)) {
      if (releasing && !to->deleted)
        pace.rise(policy.ramp_start, now());
      reopening = true;
      next = word();
      next.reopen = true;
      remind_at = now() + reminded_after;
      wake_in(reminded_after);
    }
  } else if (next.what != permit::mode::wait
             && std::exchange(reopening, false)) {
    pace.level();
  }
  if (const auto left = pause_left(); left > 0ms)
    wake_in(left);
  if (spoken == 0 || next.what != told.what || next.metered != told.metered
      || next.listen != told.listen || next.keep != told.keep || next.reopen)
    tell(next);
}

void breaker_state::tell_reopening() {
  auto next = word();
  next.reopen = true;
  remind_at = now() + reminded_after;
  tell(next);
}

void breaker_state::tell(const permit& next) {
  ++spoken;
  told = next;
  told.reopen = false;
  self->send(driver, atom::permit_v, to->id, next);
}

milliseconds breaker_state::pause_left() const {
  if (!not_before || *not_before <= now())
    return milliseconds{0};
  return ceil<milliseconds>(*not_before - now());
}

/// One timer for whatever comes first.
void breaker_state::wake_in(nanoseconds after) {
  const auto at = now() + after;
  if (timer && *timer <= at)
    return;
  timer = at;
  self->delayed_send(self, std::max<nanoseconds>(after, 1ms), atom::tick_v);
}

void breaker_state::tick() {
  timer.reset();
  if (wanted > 0)
    want(wanted);
  decide();
  if (!reopening)
    return;
  if (now() >= remind_at)
    tell_reopening();
  wake_in(remind_at - now());
}

/// The driver has no tokens and something that could begin.
void breaker_state::want(int many) {
  wanted = many;
  if (told.what != permit::mode::open || !told.metered)
    return;
  if (!pace.limited()) {
    wanted = 0;
    decide(); // no tokens are needed any more
    return;
  }
  const auto got = pace.take(many, now());
  if (got > 0) {
    wanted = 0;
    auto with = told;
    with.tokens = got;
    self->send(driver, atom::permit_v, to->id, with);
    return;
  }
  meters().refused_rate.add();
  const auto next = pace.next(now());
  wake_in(next ? *next - now() : nanoseconds{0});
}

// -- attempts ----------------------------------------------------------------

void breaker_state::report(const health_report& what) {
  const auto moment = now();
  failures.add_successes(what.successes, policy, moment);
  if (what.successes > 0 && of.state == health_state::healthy) {
    of.transient_streak = 0;
    of.auth_streak = 0;
  }
  const auto& sign = what.sign;
  const bool bad = sign.effect == health_effect::transient && sign.first;
  bool reached = false;
  if (bad || sign.effect == health_effect::clears)
    reached = failures.add(bad, policy, moment);
  if (sign.effect == health_effect::transient
      || sign.effect == health_effect::rate_limited)
    pace.failed(moment);
  if (sign.trial)
    trial_out = letting_in = false;
  if (what.pause > 0ms)
    pause(what.pause);
  const auto words = spoken;
  turn_to(after_attempt(of, policy, sign, reached, moment), sign.asked);
  // One that said nothing of the endpoint was not used up.
  if (sign.trial && holding() && sign.effect == health_effect::none)
    begin_trial();
  // Nothing begins before the driver has heard what follows.
  if (spoken == words && sign.effect != health_effect::clears)
    tell(word());
}

/// Only later, never sooner: whoever asked last and longest is heeded.
void breaker_state::pause(milliseconds by) {
  const auto until = now() + by;
  meters().pauses.add();
  const bool longer = !not_before || until > *not_before + kept_pause;
  not_before = std::max(not_before, std::optional{until});
  if (longer && by >= kept_pause)
    save();
}

/// Takes the next state, tells everybody, and has it kept.
void breaker_state::turn_to(const health& next, bool by_receiver) {
  const auto was = std::exchange(of, next);
  const bool moved = was.state != of.state;
  if (!moved && was.rung == of.rung && was.trial_at == of.trial_at) {
    decide();
    return;
  }
  if (moved) {
    meters().entered[static_cast<std::size_t>(of.state)].add();
    log_move(was.state);
    failures.clear();
    from_receiver = by_receiver;
    releasing =
        of.state == health_state::healthy || of.state == health_state::disabled;
    // First it has to be on record that nothing is held any more.
    unsaved_return = of.state == health_state::healthy;
  }
  decide();
  save();
}

void breaker_state::log_move(health_state was) {
  log_fields about;
  about.endpoint = endpoint_public_id(to->public_id);
  options.log(of.state == health_state::healthy ? level::info : level::warn,
              name,
              "the endpoint was " + std::string{to_string(was)} + " and is "
                  + std::string{to_string(of.state)}
                  + " now: " + std::string{to_string(of.cause)},
              about);
}

// -- trials ------------------------------------------------------------------

void breaker_state::clock(bool held) {
  turn_to(after_time(of, policy, now()), false);
  // The driver has not said what is in flight, or has heard of no trial.
  if ((told.what == permit::mode::stop && !in_flight)
      || (told.what == permit::mode::trial
          && now() >= trial_since + reminded_after))
    tell(word());
  if (paused || !trial_due(of, now()) || saving)
    return;
  if (trial_out && now() < trial_since + trial_patience)
    return;
  if (held) {
    begin_trial();
  } else if (of.state == health_state::degraded) {
    turn_to(after_idle(of, policy), false);
  } else if (policy.shed && !std::exchange(letting_in, true)) {
    save();
  }
}

void breaker_state::begin_trial() {
  if (paused || saving || !trial_due(of, now()) || pause_left() > 0ms)
    return;
  trial_out = true;
  trial_since = now();
  meters().trials.add();
  tell(word());
}

/// All was read that the last word asked for.
void breaker_state::read_all() {
  if (told.what == permit::mode::trial) {
    trial_out = false; // nothing was there
    decide();
    return;
  }
  if (!reopening)
    return;
  // The ramp goes on to its end: what was read has not all gone out yet.
  reopening = false;
  if (std::exchange(releasing, false))
    save();
  decide();
}

namespace {

breaker_actor::behavior_type breaker(breaker_ptr self, breaker_options options,
                                     endpoint_ptr of, partition_actor driver,
                                     health_store_actor store) {
  auto& st = self->state;
  st.options = std::move(options);
  st.driver = std::move(driver);
  st.store = std::move(store);
  // Nothing of it is saved or held before it was looked up.
  st.looking_up = st.saving = st.options.successor;
  st.adopt(of);
  if (st.looking_up)
    st.look_up();
  return {
      [&st](atom::report, const health_report& what) { st.report(what); },
      [&st](atom::want, int many) { st.want(many); },
      [&st](atom::clock, bool held) { st.clock(held); },
      [&st](atom::changed, const endpoint_ptr& fresh) { st.adopt(fresh); },
      [&st](atom::gate) { st.read_all(); },
      [&st](atom::stop, const id_list& running) { st.stopped(running); },
      [&st](atom::apply, const live_options_ptr& fresh) {
        st.options.policy = fresh->health;
        st.adopt(st.to);
      },
      [&st](atom::tick) { st.tick(); },
      [&st](atom::again) { st.again(); },
  };
}

} // namespace

breaker_actor spawn_breaker(caf::actor_system& system, breaker_options options,
                            endpoint_ptr of, partition_actor driver,
                            health_store_actor store) {
  return system.spawn(breaker, std::move(options), std::move(of),
                      std::move(driver), std::move(store));
}

} // namespace postrider::actors
