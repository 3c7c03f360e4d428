#pragma once

#include "tests/actors/partition_fixture.hpp"

namespace postrider::testing {

using namespace std::chrono_literals;

/// A driver and the breakers of its endpoints.
class partition_guards_fixture : public partition_fixture {
protected:
  /// The endpoint of what is claimed from now on, as the database has it.
  void is(health_state state, std::chrono::milliseconds trial_in = 0ms) {
    auto fresh = std::make_shared<endpoint>(*endpoint_);
    fresh->health.of.state = state;
    fresh->health.revision = ++sick_.revision;
    if (holds(state))
      fresh->health.of.trial_at = now() + trial_in;
    if (state == health_state::suspended)
      fresh->health.of.suspended_since = now();
    endpoint_ = fresh;
    sick_.found = fresh->health;
  }
  void change() {
    auto fresh = std::make_shared<endpoint>(*endpoint_);
    ++fresh->version;
    endpoint_ = fresh;
    tell(partition_, atom::endpoints_v, actors::endpoint_list{endpoint_});
  }

  /// Rows of streams of their own, so that all may be in flight.
  void claim_side_by_side(std::int64_t first, std::int64_t last) {
    std::vector<delivery> rows;
    for (auto id = first; id <= last; ++id)
      rows.push_back(sample_row(id, endpoint_->id, id));
    claim(rows);
  }
  delivery held_row(std::int64_t id, bool trial = false) {
    auto row = sample_row(id, endpoint_->id, id);
    row.held = true;
    row.trial = trial;
    return row;
  }

  void fail(std::size_t first, std::size_t last) {
    for (auto job = first; job <= last; ++job)
      answer(job, answered(500));
  }
  void clock(bool held = true) {
    tell(partition_, atom::clock_v, actors::clock_list{{endpoint_, held}});
  }
  void confirm_gate() { tell(partition_, atom::gate_v, endpoint_->id); }
  void kill_breaker() {
    caf::anon_send_exit(caf::actor_cast<caf::actor>(sick_.asker),
                        caf::exit_reason::kill);
    settle();
  }

  read_gate gate() const { return read_.gates.back().how; }
  const store::settlement& last() const { return record_.settled.back(); }
};

} // namespace postrider::testing
