#include "actors/partition_state.hpp"

#include <algorithm>
#include <utility>

// A driver that fails is no reason to send again: its successor goes on with
// what it had in flight, and waits for what it has settled (G6).

namespace postrider::actors {

namespace {

constexpr std::chrono::milliseconds until_it_has_ended{10};
// What was read before is not on its way any more.
constexpr std::chrono::seconds long_enough{10};

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
  inheriting = how == flight_board::arrival::heir;
  inherits_since = now();
  left_unwritten = options.outcomes->came();
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

std::unordered_map<std::int64_t, outcome_box::settled>
partition_state::settled_lately() {
  if (!inheriting)
    return {};
  // The window of the reader does not hold what was in flight before this.
  if (!heirlooms.empty()) {
    left_unwritten = options.outcomes->came();
    inherits_since = now();
  } else if (options.outcomes->ended() < left_unwritten) {
    inherits_since = now();
  }
  inheriting = now() < inherits_since + long_enough;
  return options.outcomes->recent(options.lease.partition);
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
