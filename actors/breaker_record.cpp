#include "actors/breaker_state.hpp"
#include "core/public_id.hpp"

#include <algorithm>
#include <utility>

// What a breaker has written: the health of its endpoint, and what becomes of
// the deliveries that are open for it.

namespace postrider::actors {

using namespace std::chrono;

// -- on record ---------------------------------------------------------------

/// A change of a revision that no record has is refused, and the answer tells
/// what is on record.
void breaker_state::look_up() {
  auto question = as_move();
  question.known = -1;
  self->request(store, seconds{60}, atom::move_v, std::move(question))
      .then(
          [this](const moved& done) {
            looking_up = false;
            saved(done);
          },
          [this](const caf::error&) {
            self->delayed_send(self, seconds{1}, atom::again_v);
          });
}

void breaker_state::save() {
  if (std::exchange(saving, true)) {
    unsaved = true;
    return;
  }
  unsaved = false;
  decide();
  self->request(store, seconds{60}, atom::move_v, as_move())
      .then([this](const moved& done) { saved(done); },
            [this](const caf::error&) {
              // The database is away: all stays as it is until it is back.
              unsaved = true;
              self->delayed_send(self, seconds{1}, atom::again_v);
            });
}

store::health_move breaker_state::as_move() const {
  store::health_move out;
  out.endpoint = to->id;
  out.epoch = options.lease.epoch;
  out.known = revision;
  out.name = endpoint_public_id(to->public_id);
  out.state = of.state;
  out.cause = of.cause;
  out.by_receiver = from_receiver;
  out.rung = of.rung;
  if (holding())
    out.trial_in = std::max(0ms, ceil<milliseconds>(of.trial_at - now()));
  out.in_incident = of.suspended_since.has_value();
  out.retire_after = policy.max_suspended;
  if (const auto left = pause_left(); left > 0ms)
    out.pause_for = left;
  out.shedding =
      policy.shed && of.state == health_state::suspended && !letting_in;
  out.held_max = policy.held_max;
  out.releasing = releasing;
  return out;
}

void breaker_state::saved(const moved& done) {
  saving = false;
  if (!done.revision) {
    // Somebody else has changed it, or the lease is gone.
    take_record(done.record);
    if (std::exchange(unsaved, false) || unsaved_return) {
      self->delayed_send(self, seconds{1}, atom::again_v);
      saving = true;
    }
  } else {
    revision = *done.revision;
    if (unsaved)
      return save();
    unsaved_return = false;
    if (to->health.revision > revision) {
      take_record(to->health);
      if (unsaved_return)
        return save();
    }
  }
  decide();
  begin_flip();
}

void breaker_state::again() {
  if (looking_up)
    return look_up();
  saving = false;
  save();
}

// -- what is open for it -----------------------------------------------------

breaker_state::flipping breaker_state::flip_wanted() const {
  if (to->deleted)
    return flipping::none;
  if (of.state == health_state::disabled)
    return in_flight ? flipping::cancel : flipping::none;
  return holding() || paused ? flipping::hold : flipping::none;
}

/// What is queued is held, or ends as cancelled, chunk by chunk.
void breaker_state::begin_flip() {
  const auto next = flip_wanted();
  if (next == flipping::none)
    flipped = flipping::none;
  if (of.state != health_state::disabled)
    in_flight.reset();
  // First it has to be on record, so that nothing new is queued meanwhile.
  if (flip || saving || next == flipping::none || next == flipped)
    return;
  flips = next;
  flip = chunk_query{to->id, to->partition, options.lease.epoch, 0,
                     in_flight.value_or(id_list{})};
  next_chunk();
  decide();
}

void breaker_state::next_chunk() {
  const auto done = [this](const store::chunk_done& got) { chunk(got); };
  // What is left is held, or cancelled, as it is read.
  const auto failed = [this](const caf::error&) { end_flip(); };
  if (flips == flipping::cancel)
    self->request(store, seconds{60}, atom::cancel_v, *flip).then(done, failed);
  else
    self->request(store, seconds{60}, atom::hold_v, *flip).then(done, failed);
}

void breaker_state::chunk(const store::chunk_done& done) {
  if (!flip)
    return;
  meters().flipped.add(static_cast<std::uint64_t>(done.rows));
  flip->after = done.upto;
  if (flip_wanted() == flips && !done.whole)
    return next_chunk();
  end_flip();
}

void breaker_state::end_flip() {
  flip.reset();
  if (flip_wanted() == flips)
    flipped = flips;
  if (flipped == flipping::cancel && std::exchange(releasing, false))
    save();
  decide();
  begin_flip();
}

void breaker_state::stopped(const id_list& running) {
  in_flight = running;
  begin_flip();
}

} // namespace postrider::actors
