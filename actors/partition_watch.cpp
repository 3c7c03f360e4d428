#include "actors/partition_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

// Any message may be lost. What a driver waits for it asks for again, so that
// nothing stands for ever.

namespace postrider::actors {

using namespace std::chrono;

namespace {

// By then an actor that has heard a word has answered it.
constexpr seconds overdue{2};
// So long nothing may come of what was reopened; then twice as long.
constexpr seconds nothing_read{4};
constexpr int most_doublings = 8;

} // namespace

void partition_state::tick() {
  enter();
  collect(); // should a word of the inbox have been lost
  watch_silence();
  watch_words();
  forget_idle();
  self->delayed_send(self, seconds{1}, atom::tick_v);
}

/// At two looks in a row: a process that stood still finds its timers due
/// before it has read the answers that came meanwhile.
void partition_state::watch_silence() {
  std::vector<std::int64_t> silent;
  for (auto& [id, open] : works) {
    const bool overdue =
        open.running
        && now() > open.started + timeout_of(*open.what.to) + options.patience;
    if (std::exchange(open.overdue, overdue) && overdue)
      silent.push_back(open.ticket);
  }
  for (const auto ticket : silent) {
    options.log(level::warn, name,
                "an attempt gave no answer; it counts as failed");
    attempt_result unknown;
    unknown.error = attempt_error::internal;
    meters().duplicates_silent.add();
    finished(ticket, unknown);
  }
  if (silent.empty())
    return;
  pump();
  report_if_drained();
}

void partition_state::watch_words() {
  if (!entered)
    return;
  answer_doubts();
  if (const auto settler = options.outcomes->unheard())
    self->send(*settler, atom::settle_v);
  if (draining)
    return;
  for (auto& [endpoint, of] : guards)
    watch_guard(endpoint, of);
  if (crowded.empty())
    return;
  // Their tenant may have room by now.
  for (const auto endpoint : std::exchange(crowded, {}))
    waiting.block(endpoint, false);
  pump();
}

void partition_state::watch_guard(std::int64_t endpoint, guard& of) {
  if (of.at_gate > 0) {
    // Without what was given back: that may have been heard, and be on its way
    // here once more. If it has not, the reader asks for it.
    if (now() >= of.gate_at + overdue)
      send_gate(of);
    return;
  }
  if (of.running > 0 || !waiting.knows(endpoint)
      || now() < std::max(of.asked_at, of.used) + overdue)
    return;
  of.asked_at = now();
  // What waits here can't be found as its trial.
  if (of.gated && of.trying == 0) {
    set_gate(of, of.gate == read_gate::trial ? read_gate::hold : of.gate);
    return;
  }
  // A report of nothing is answered with its word.
  self->send(of.breaker, atom::changed_v, of.to);
  self->send(of.breaker, atom::report_v, health_report{});
}

bool partition_state::is_reopening(std::int64_t endpoint,
                                   const guard& of) const {
  const auto enough =
      nothing_read * (1 << std::min(of.reopened, most_doublings));
  return of.reading
         && (waiting.knows(endpoint)
             || now() < std::max(of.used, of.gate_at) + enough);
}

/// What is neither here nor to be written at two looks in a row: whatever was
/// on its way at the first has come by the second.
void partition_state::answer_doubts() {
  const auto before = std::exchange(doubted, {});
  const auto asked = options.flights->doubted(options.lease.partition);
  std::copy_if(asked.begin(), asked.end(),
               std::inserter(doubted, doubted.end()),
               [this](auto id) { return !works.contains(id); });
  id_list gone;
  std::copy_if(before.begin(), before.end(), std::back_inserter(gone),
               [this](auto id) { return !works.contains(id); });
  if (gone.empty())
    return;
  const auto unwritten = options.outcomes->unwritten(options.lease.partition);
  std::erase_if(gone, [&](auto id) { return unwritten.contains(id); });
  if (!gone.empty())
    options.flights->disown(gone);
}

} // namespace postrider::actors
