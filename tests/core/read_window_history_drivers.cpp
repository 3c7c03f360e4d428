// What the drivers of the history do, and what health makes them do.
#include "tests/core/read_window_history.hpp"

namespace postrider::testing {

void window_history::settle() {
  if (open_.empty())
    return;
  advance(std::next(open_.begin(),
                    static_cast<std::ptrdiff_t>(upto(0, open_.size() - 1))));
}

void window_history::advance(place at) {
  switch (at->second.at) {
  case stage::driven:
    return begin(head_of(at));
  case stage::settling:
    return write(at);
  case stage::written:
    reader_.window.leave(at->first);
    open_.erase(at);
  }
}

window_history::place window_history::head_of(place at) {
  if (!sick_ || at->second.row.trial)
    return at;
  for (auto one = open_.begin(); one != at; ++one)
    if (one->second.row.endpoint == at->second.row.endpoint
        && one->second.at == stage::driven)
      return one;
  return at;
}

void window_history::begin(place at) {
  auto& [id, one] = *at;
  const auto& of = health_[one.row.endpoint];
  if (of.reopened > 0 && of.word == mode::open && one.row.attempts == 0)
    if (const auto before =
            table_.overtaken(one.row, of.reopened, [&](std::int64_t other) {
              const auto known = open_.find(other);
              return held_late_.contains(other)
                     || (known != open_.end()
                         && known->second.at != stage::driven);
            }))
      return break_promise(std::to_string(id) + " overtakes "
                           + std::to_string(before));
  one.at = stage::settling;
  one.since = table_.now;
  if (one.row.attempts < 3 && one_in(3))
    one.due = table_.now + static_cast<std::int64_t>(upto(1, 3'000'000));
}

void window_history::write(place at) {
  auto& [id, one] = *at;
  one.at = stage::written;
  auto& of = health_[one.row.endpoint];
  const bool shut = of.word == mode::hold || of.word == mode::trial;
  if (one.hold) {
    table_.hold(id, false);
    // On its way to be held when its endpoint was reopened.
    if (of.word == mode::open)
      held_late_.insert(id);
  } else if (one.due != 0 && shut)
    table_.hold(id, true);
  else if (one.due != 0)
    table_.retry(id, one.due);
  else
    table_.remove(id);
  if (!one.row.trial || !std::exchange(of.trying, false))
    return;
  if (one.due != 0)
    of.word = mode::hold;
  else
    reopen(one.row.endpoint);
}

void window_history::hurry() {
  for (auto& [id, one] : open_)
    if (one.at == stage::settling && table_.now - one.since > 6'000'000) {
      advance(open_.find(id));
      return;
    }
}

void window_history::change_health() {
  const auto which = one_in(2) ? 1
                               : static_cast<std::int64_t>(upto(
                                   1, static_cast<std::size_t>(endpoints_)));
  const auto partition = static_cast<std::uint16_t>(which % partitions_);
  if (!reader_.reads(partition))
    return;
  auto& of = health_[which];
  switch (of.word) {
  case mode::open:
    if (one_in(3)) {
      of.word = mode::park;
      return gate(which, read_gate::park);
    }
    of.word = mode::hold;
    of.held = true;
    of.releasing = false;
    return gate(which, read_gate::hold);
  case mode::hold:
    if (one_in(2))
      return table_.hold_chunk(which, static_cast<int>(upto(1, 9)));
    if (one_in(4))
      return reopen(which); // an operator
    of.word = mode::trial;
    return gate(which, read_gate::trial);
  case mode::trial:
    if (!of.trying && one_in(3))
      reopen(which);
    return;
  case mode::park:
    return reopen(which);
  }
}

void window_history::reopen(std::int64_t which) {
  auto& of = health_[which];
  of.word = mode::open;
  of.releasing = of.releasing || of.held;
  of.held = false;
  of.trying = false;
  of.reopened = table_.moment();
  gate(which, read_gate::reopen);
}

void window_history::gate(std::int64_t which, read_gate how) {
  std::vector<std::int64_t> given_back;
  if (how != read_gate::trial)
    for (const auto& [id, one] : open_)
      if (one.row.endpoint == which && one.at == stage::driven)
        given_back.push_back(id);
  for (const auto id : given_back)
    open_.erase(id);
  reader_.gate(static_cast<std::uint16_t>(which % partitions_), which, how,
               given_back);
}

void window_history::gate_done(std::int64_t which) {
  auto& of = health_[which];
  if (of.word != mode::open)
    return;
  of.releasing = false;
  // Not even what is here already: another holder would not look for it.
  if (const auto left =
          table_.held_row(which, [](std::int64_t) { return false; }))
    break_promise("held and nobody reads it: " + std::to_string(left));
}

void window_history::begin_anew(std::uint16_t partition) {
  for (auto& [which, of] : health_) {
    if (which % partitions_ != partition)
      continue;
    of.trying = false;
    of.reopened = 0;
    of.word = of.held ? mode::hold : mode::open;
    if (of.held)
      gate(which, read_gate::hold);
    else if (of.releasing)
      reopen(which);
  }
}

} // namespace postrider::testing
