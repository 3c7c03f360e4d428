#include "actors/partition_state.hpp"

#include <algorithm>
#include <utility>

// A driver that fails is no reason to send again: its successor goes on with
// what it had in flight, and waits for what it has settled (G6).

namespace postrider::actors {

namespace {

constexpr std::chrono::milliseconds until_it_has_ended{10};

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
  if (how == flight_board::arrival::heir)
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
    of.trying = of.trying || one.what.row.trial;
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

std::unordered_set<std::int64_t> partition_state::settled_before() {
  if (!inheriting)
    return {};
  // The window of the reader does not hold what was in flight before this.
  if (!heirlooms.empty())
    return options.outcomes->pending();
  if (!left_unwritten)
    left_unwritten = options.outcomes->came();
  if (options.outcomes->ended() < *left_unwritten)
    return options.outcomes->pending();
  inheriting = false;
  return {};
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
