#pragma once

#include "actors/breaker.hpp"

#include "tests/actors/actor_fixture.hpp"
#include "tests/actors/fakes.hpp"

namespace postrider::testing {

/// What a driver is told by its endpoint's breaker.
struct word_record {
  std::vector<actors::permit> words;
  actors::id_list running; ///< what it says when it is stopped
};

/// A driver that has no deliveries, but says what is in flight when stopped.
inline driver_ears ears_of(word_record* seen) {
  driver_ears out;
  out.permit = [=](driver_ears::pointer self, const actors::permit& word) {
    seen->words.push_back(word);
    if (word.what == actors::permit::mode::stop)
      self->send(caf::actor_cast<actors::breaker_actor>(self->current_sender()),
                 atom::stop_v, seen->running);
  };
  return out;
}

/// One breaker between a driver and a database that a test plays with.
class breaker_fixture : public actor_fixture {
protected:
  using mode = actors::permit::mode;
  using span = std::chrono::milliseconds;

  /// Starts the breaker with this on record of its endpoint's health.
  void start(health_record on_record = {}, bool successor = false) {
    to_.health = on_record;
    breaker_ = keep(actors::spawn_breaker(system,
                                          {{7, 3},
                                           *find_health_policy("default"),
                                           no_log(),
                                           counters_,
                                           successor},
                                          std::make_shared<const endpoint>(to_),
                                          driver_, store_));
    settle();
  }

  /// A state as it stands in the database, its next trial due after `wait`.
  health_record on_record(health_state state, span wait = span{5'000}) {
    health_record out;
    out.of.state = state;
    out.revision = 50;
    if (holds(state))
      out.of.trial_at = now() + wait;
    if (state == health_state::suspended)
      out.of.suspended_since = now();
    return out;
  }

  /// Moves the clock over a long time at once.
  void skip(span by) {
    advance(by);
    settle();
  }

  // -- what the breaker hears ------------------------------------------------

  void report(health_sign sign, int successes = 0, span pause = span{0}) {
    tell(breaker_, atom::report_v,
         actors::health_report{sign, successes, pause});
  }
  void fail(int many = 1) {
    for (; many > 0; --many)
      report({health_effect::transient});
  }
  void succeed() { report({health_effect::clears}); }
  void trial_ends(health_effect how) { report({how, true, true}); }
  void clock(bool held = true) { tell(breaker_, atom::clock_v, held); }
  void all_is_read() { tell(breaker_, atom::gate_v); }
  void want(int many) { tell(breaker_, atom::want_v, many); }

  /// The endpoint as the database has it now.
  void change(health_record record) {
    to_.health = record;
    to_.health.revision = ++world_.revision;
    change();
  }
  void change() {
    ++to_.version;
    tell(breaker_, atom::changed_v, std::make_shared<const endpoint>(to_));
  }

  void apply(const health_policy& policy) {
    auto fresh = std::make_shared<actors::live_options>();
    fresh->health = policy;
    tell(breaker_, atom::apply_v, actors::live_options_ptr{fresh});
  }

  /// Into a state by the endpoint's own doing.
  void degrade() { fail(5); }

  // -- what it said ----------------------------------------------------------

  const actors::permit& word() const { return seen_.words.back(); }
  std::size_t words() const { return seen_.words.size(); }
  const store::health_move& move() const { return world_.moves.back(); }
  int tokens() const {
    int out = 0;
    for (const auto& one : seen_.words)
      out += one.tokens;
    return out;
  }
  std::uint64_t begun() const {
    return counters_->meters.health.trials.value();
  }
  /// How often it said that one may begin.
  std::ptrdiff_t trials() const {
    return std::count_if(
        seen_.words.begin(), seen_.words.end(),
        [](const auto& one) { return one.what == mode::trial; });
  }

  actors::counters_ptr counters_ = std::make_shared<actors::counters>();
  endpoint to_ = *sample_endpoint(1);
  word_record seen_;
  health_world world_;
  actors::partition_actor driver_ =
      keep(system.spawn(listening_driver, ears_of(&seen_)));
  actors::health_store_actor store_ =
      keep(system.spawn(fake_health_store, &world_));
  actors::breaker_actor breaker_;
};

} // namespace postrider::testing
