#include "actors/meters.hpp"

#include <algorithm>

namespace postrider::actors {

namespace {

/// The place of a state in `finished`.
std::size_t ending_of(delivery_state state) {
  return state == delivery_state::succeeded   ? 0
         : state == delivery_state::cancelled ? 2
                                              : 1;
}

std::size_t hundreds_of(int status) {
  return status >= 100 && status < 600 ? static_cast<std::size_t>(status / 100)
                                       : 0;
}

} // namespace

void settle_meters::record(const store::settlement& what, bool hit,
                           std::chrono::system_clock::time_point now) noexcept {
  // That it is held as it was read is no outcome.
  if (what.state == delivery_state::held && !what.sent)
    return;
  if (!hit) {
    fenced.add();
    if (what.sent)
      duplicates_fenced.add();
    return;
  }
  if (what.sent && what.state == delivery_state::succeeded) {
    succeeded.add();
    succeeded_duration.observe(what.duration);
  } else if (what.sent) {
    if (what.status)
      statuses[hundreds_of(*what.status)].add();
    else
      errors[static_cast<std::size_t>(what.error)].add();
    failed_duration.observe(what.duration);
  }
  if (what.state == delivery_state::held)
    return;
  if (what.state == delivery_state::retrying) {
    const auto made = static_cast<std::size_t>(what.attempts);
    const auto why = what.status ? attempt_error::none : what.error;
    retries[std::min(made, steps - 1)][static_cast<std::size_t>(why)].add();
    return;
  }
  const auto ending = ending_of(what.state);
  finished[ending].add();
  if (ending == 1)
    failed[static_cast<std::size_t>(what.reason)].add();
  lifetime[ending][what.attempts == 0 ? 1 : 0].observe(now
                                                       - time_of(what.event));
}

void read_meters::claimed(const std::vector<delivery>& rows,
                          std::chrono::system_clock::time_point now) noexcept {
  using std::chrono::microseconds;
  batch.observe(rows.size());
  for (const auto& row : rows)
    lag.observe(row.due == 0 ? now - time_of(row.event)
                             : now.time_since_epoch() - microseconds{row.due});
}

} // namespace postrider::actors
