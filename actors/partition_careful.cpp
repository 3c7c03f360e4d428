#include "actors/partition_state.hpp"
#include "core/caution.hpp"

#include <utility>

// A partition that was taken over from one crashed holder after the other (see
// core/caution.hpp).

namespace postrider::actors {

using namespace std::chrono;

namespace {

constexpr milliseconds until_its_turn{5};
constexpr seconds mark_within{5};

} // namespace

bool partition_state::is_careful() const {
  return options.lease.crashes >= careful_after && now() < calm_at;
}

void partition_state::pump_carefully() {
  if (marking)
    return;
  if (is_dangerous()) {
    pump_in(marked_at + longest_mark - now());
    return;
  }
  end_turn();
  if (draining || now() >= good_until || !entered)
    return;
  if (const auto until = options.ours->closed(now())) {
    pump_in(*until - now());
    return;
  }
  if (waiting.waiting() > 0
      && !options.flights->take_turn(options.lease.partition)) {
    pump_in(until_its_turn);
    return;
  }
  if (const auto next = waiting.take())
    mark(*next);
  else
    end_turn();
  ask_for_tokens();
}

bool partition_state::is_dangerous() const {
  const auto place = works.find(marked);
  return place != works.end() && place->second.running
         && now() < marked_at + longest_mark;
}

void partition_state::end_turn() {
  marked = 0;
  options.flights->give_turn(options.lease.partition);
  if (waiting.waiting() == 0)
    clear_record();
}

/// Nothing is handled: who crashes now was not the one on record.
void partition_state::clear_record() {
  if (std::exchange(on_record, false))
    self->request(with.leases, mark_within, atom::mark_v, options.lease,
                  std::int64_t{0})
        .then([](bool) {}, [](const caf::error&) {});
}

void partition_state::mark(const delivery& row) {
  marking = true;
  on_record = true;
  self->request(with.leases, mark_within, atom::mark_v, options.lease, row.id)
      .then(
          [this, row](bool ours) {
            marking = false;
            if (ours)
              return begin_marked(row);
            waiting.put_back(row);
            options.flights->give_turn(options.lease.partition);
          },
          [this, row](const caf::error&) {
            marking = false;
            waiting.put_back(row);
            options.flights->give_turn(options.lease.partition);
            pump_in(options.defer);
          });
}

void partition_state::begin_marked(const delivery& row) {
  if (draining || shut_out(works.at(row.id).what)) {
    drop(row.id);
    end_turn();
    report_if_drained();
    return;
  }
  marked = row.id;
  marked_at = now();
  http_job_list jobs;
  bool more = false;
  if (now() < good_until)
    more = begin(row, jobs);
  else
    waiting.put_back(row);
  handling = 0;
  if (!jobs.empty())
    self->send(with.worker, atom::attempt_v, std::move(jobs));
  if (more)
    pump();
  else
    end_turn();
}

} // namespace postrider::actors
