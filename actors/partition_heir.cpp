#include "actors/partition_state.hpp"

#include <algorithm>
#include <utility>

// A driver that fails is no reason to send again: its successor goes on with
// what it had in flight, and waits for what it has settled (G6).

namespace postrider::actors {

namespace {

constexpr std::chrono::milliseconds until_it_has_ended{10};
// What was read before is not on its way any more: its reader asks one question
// after another before it hands it out, each with some patience.
constexpr std::chrono::seconds long_enough{60};

} // namespace

void partition_state::enter() {
  if (entered)
    return;
  flights left;
  const auto how = options.flights->enter(options.lease, left);
  if (how == flight_board::arrival::early) {
    self->delayed_send(self, until_it_has_ended, atom::start_v);
    return;
  }
  entered = true;
  // All of it is read once more for a driver that comes after another.
  if (how == flight_board::arrival::heir)
    settled_before = options.outcomes->recent(options.lease.partition);
  options.outcomes->begins(options.lease.partition);
  inherits_since = now();
  entered_at = left_unwritten = options.outcomes->came();
  if (!left.open.empty())
    inherit(left);
  inbox->belongs_to(self);
  for (const auto& some : std::exchange(early, {}))
    claimed(some);
  collect();
}

void partition_state::inherit(const flights& left) {
  inbox = left.inbox;
  tickets = left.tickets;
  for (const auto& one : left.open) {
    const auto& to = one.what.to;
    auto& of = guard_of(to);
    ++of.running;
    if (one.what.row.trial)
      of.trying = one.what.row.id;
    if (!waiting.knows(to->id)) {
      waiting.configure(to->id, to->order, to->max_in_flight);
      set_lane(of);
    }
    waiting.adopt(one.what.row);
    running.emplace(one.ticket, one.what.row.id);
    works.emplace(one.what.row.id, one);
    heirlooms.insert(one.what.row.id);
  }
  options.log(level::info, name,
              "goes on with " + std::to_string(left.open.size())
                  + " attempts that were in flight");
}

bool partition_state::is_outdated(const delivery& row) const {
  const auto place = settled_before.find(row.id);
  return place != settled_before.end() && place->second >= row.attempts;
}

/// The window of the reader may not hold it: it may be read for the first time
/// when it has ended.
void partition_state::note_heirloom(const store::settlement& outcome) {
  const bool only_held = outcome.state == delivery_state::held && !outcome.sent;
  if (heirlooms.contains(outcome.delivery) && !only_held)
    settled_before.insert_or_assign(outcome.delivery, outcome.attempts);
}

void partition_state::forget_settled() {
  if (settled_before.empty())
    return;
  if (!heirlooms.empty() || options.outcomes->ended() < left_unwritten)
    inherits_since = now();
  else if (now() >= inherits_since + long_enough)
    settled_before.clear();
}

bool partition_state::is_deadly(const work& what) {
  if (!options.flights->convicted(what.row.id)
      && what.row.id != options.lease.culprit)
    return false;
  options.flights->forget(what.row.id);
  options.log(level::error, name,
              "delivery " + std::to_string(what.row.id)
                  + " has ended its worker too often: it is failed");
  settle_unsent(what, {delivery_state::failed, end_reason::crashed, {}});
  trial_is_void(what);
  return true;
}

} // namespace postrider::actors
