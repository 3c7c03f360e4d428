#include "tests/core/read_window_history.hpp"

namespace postrider::testing {

std::string window_history::run(int steps) {
  for (int i = 0; i < steps && fault_.empty(); ++i)
    step();
  if (fault_.empty())
    be_quiet();
  return fault_;
}

read_limits window_history::some_limits() {
  const auto rows = upto(3, 40);
  return {rows, upto(60, 900), std::min(rows, upto(1, 6))};
}

std::set<std::uint16_t> window_history::some_partitions() {
  std::set<std::uint16_t> out;
  for (std::uint16_t i = 0; i < partitions_; ++i)
    if (!one_in(3))
      out.insert(i);
  return out;
}

void window_history::step() {
  table_.now += static_cast<std::int64_t>(upto(0, 300'000));
  reader_.may_sweep = sweeps_ && one_in(5);
  const auto what = upto(0, 99);
  if (sick_ && one_in(12))
    change_health();
  else if (what < 25)
    produce();
  else if (what < 29)
    hand_over();
  else if (what < 60)
    read(true);
  else if (what < 96)
    settle();
  else if (what < 98)
    other_node();
  else if (one_in(2))
    own(some_partitions());
  else
    restart_driver();
  hurry();
}

void window_history::produce() {
  const auto& open = table_.open();
  if (open.empty() || (open.size() < 4 && one_in(4))) {
    table_.begin();
    return;
  }
  auto which = *std::next(
      open.begin(), static_cast<std::ptrdiff_t>(upto(0, open.size() - 1)));
  if (one_in(5))
    return commit(which);
  if (one_in(20))
    return table_.roll_back(which);
  for (auto many = upto(1, 6); many > 0; --many) {
    delivery row;
    row.endpoint = one_in(2) ? 1
                             : static_cast<std::int64_t>(
                                 upto(1, static_cast<std::size_t>(endpoints_)));
    row.partition = static_cast<std::uint16_t>(row.endpoint % partitions_);
    row.size = static_cast<std::int32_t>(upto(0, 60));
    row.held = health_[row.endpoint].held;
    table_.draw(which, row);
    ++drawn_;
  }
}

/// Half of them by this node.
void window_history::commit(std::uint64_t which) {
  std::vector<fresh_delivery> made;
  for (const auto& row : table_.written_by(which))
    made.push_back({row, !row.held});
  table_.commit(which);
  if (one_in(2))
    told_.push_back(std::move(made));
}

void window_history::hand_over() {
  if (told_.empty())
    return;
  const auto which = std::next(
      told_.begin(), static_cast<std::ptrdiff_t>(upto(0, told_.size() - 1)));
  if (!one_in(10))
    reader_.hand_over(*which);
  told_.erase(which);
}

void window_history::read(bool may_fail) {
  if (!reader_.busy()) {
    phase_ = 0;
    reader_.ask();
    return;
  }
  if (may_fail && one_in(40)) {
    reader_.fail();
  } else if (phase_ == 0) {
    reader_.execute(table_);
  } else if (phase_ == 1) {
    reader_.read_sequence(table_);
  } else {
    reader_.answer();
    check_bounds();
    phase_ = -1; // a next question may have been asked at once
  }
  ++phase_;
}

void window_history::handed(const delivery& row) {
  const auto id = std::to_string(row.id);
  if (open_.contains(row.id))
    return break_promise("handed out twice: " + id);
  const auto* now = table_.find(row.id);
  if (!now)
    return break_promise("handed out after it was finished: " + id);
  if (now->attempts != row.attempts)
    return break_promise("handed out as it was before its retry: " + id);
  if (now->due > table_.now)
    return break_promise("handed out before it is due: " + id);
  auto& of = health_[row.endpoint];
  if (of.word != mode::open)
    return handed_while_shut(of, row);
  if (row.due == 0)
    if (const auto before = table_.untried_below(row, open_))
      return break_promise("handed out before " + std::to_string(before)
                           + " of its transaction: " + id);
  open_[row.id] = {row, stage::driven, 0, 0};
}

void window_history::handed_while_shut(health_of& of, const delivery& row) {
  if (of.word == mode::trial && row.trial && !of.trying) {
    of.trying = true;
    open_[row.id] = {row, stage::driven, 0, 0};
  } else if (of.word == mode::park || row.held) {
    reader_.window.leave(row.id);
  } else {
    open_[row.id] = {row, stage::settling, 0, table_.now, true};
  }
}

void window_history::check_bounds() {
  const auto& window = reader_.window;
  if (window.size() > limits_.rows)
    break_promise("more rows than the window may hold");
  if (window.bytes() >= limits_.bytes + 60)
    break_promise("more bytes than the window may hold");
  std::map<std::int64_t, std::size_t> counts;
  for (const auto& [id, one] : open_) {
    if (!window.contains(id))
      break_promise("not in the window any more: " + std::to_string(id));
    // A trial comes beside.
    if (++counts[one.row.endpoint] > limits_.per_endpoint + sick_)
      break_promise("more rows of an endpoint than its share");
  }
}

void window_history::forget(std::uint16_t partition) {
  std::erase_if(open_, [&](const auto& item) {
    return item.second.row.partition == partition;
  });
}

void window_history::own(std::set<std::uint16_t> next) {
  for (const auto one : reader_.owned())
    if (!next.contains(one))
      forget(one);
  reader_.own(std::move(next));
}

void window_history::restart_driver() {
  if (reader_.owned().empty())
    return;
  const auto which = *reader_.owned().begin();
  for (auto at = open_.begin(); at != open_.end();) {
    const auto here = at++;
    const auto was = here->second.at;
    if (here->second.row.partition != which || was == stage::driven)
      continue;
    if (was == stage::settling)
      advance(here);
    advance(here);
  }
  forget(which);
  reader_.restart(which);
}

void window_history::other_node() {
  for (const auto& row : table_.look().rows)
    if (!reader_.owned().contains(row.partition) && one_in(3)) {
      if (one_in(2))
        table_.remove(row.id);
      else
        table_.retry(
            row.id, table_.now + static_cast<std::int64_t>(upto(0, 2'000'000)));
    }
}

void window_history::be_quiet() {
  while (!table_.open().empty())
    table_.commit(*table_.open().begin());
  std::set<std::uint16_t> all;
  for (std::uint16_t i = 0; i < partitions_; ++i)
    all.insert(i);
  own(all);
  for (auto& [which, of] : health_) {
    of.releasing = of.releasing || of.held;
    of.held = false;
    if (of.word != mode::open
        && reader_.reads(static_cast<std::uint16_t>(which % partitions_)))
      reopen(which);
  }
  reader_.may_sweep = false;
  const auto before = reader_.questions;
  const auto enough = 100 + 20 * drawn_;
  while (fault_.empty()) {
    const auto left = table_.first();
    if (left == 0)
      return;
    if (reader_.questions - before > enough)
      return break_promise("never read: delivery " + std::to_string(left));
    table_.now += 100'000;
    read(false);
    for (auto at = open_.begin(); at != open_.end();) {
      const auto here = at++;
      if (one_in(2))
        advance(here);
    }
  }
}

} // namespace postrider::testing
