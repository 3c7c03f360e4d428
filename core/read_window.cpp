#include "core/read_window.hpp"
#include "core/failpoint.hpp"

#include <algorithm>

namespace postrider {

namespace {

// Due times are read again this far back, because a retry becomes visible
// only some time after its due time was computed. In microseconds.
constexpr std::int64_t due_overlap = 10'000'000;
constexpr std::int64_t largest_step = 1 << 20;
constexpr int most_looks = 3;

} // namespace

void read_window::limit(read_limits limits) {
  limits_ = limits;
  refresh_skipped();
}

void read_window::restart(std::int64_t cursor) {
  // What was seen above the new cursor is not known any more.
  gap_ = std::max(gap_, cursor_);
  cursor_ = std::min(cursor_, cursor);
  if (!seen_)
    cursor_ = cursor;
  unseen_ = 0;
  gap_ = std::max(gap_, cursor_);
  drawn_.reset();
  step_ = 1'024;
  due_after_ = 0;
  late_.restart(cursor_);
}

void read_window::start_anew(std::int64_t cursor) {
  late_ = {};
  seen_ = false;
  allocated_ = 0;
  restart(cursor);
  // Whoever ran is forgotten, and may have written anywhere.
  look_back(0);
}

void read_window::drop(std::uint16_t partition) {
  std::erase_if(rows_, [&](const auto& item) {
    if (item.second.partition != partition)
      return false;
    release(item.second);
    return true;
  });
  const auto of_it = [&](const auto& item) {
    return item.second.partition == partition;
  };
  std::erase_if(lagging_, of_it);
  std::erase_if(trials_,
                [&](const auto& item) { return item.second == partition; });
  reopened_ = static_cast<std::size_t>(std::ranges::count_if(
      lagging_, [](const auto& item) { return item.second.held; }));
  std::erase_if(due_lagging_, of_it);
  refresh_skipped();
}

void read_window::saw(const transactions& now, std::int64_t allocated) {
  // Transactions that run at the very first read may have drawn any id, and so
  // may those that ended between the look for a start and this one.
  const auto ended = late_.saw(now, seen_ ? cursor_ : 0, gap_);
  if (!seen_)
    late_.put_back(0);
  // An endpoint that is read by itself may be further than a cursor that was
  // set back: there the ordinary way does not find what has ended.
  if (ended)
    look_back(*ended);
  seen_ = true;
  allocated_ = std::max(allocated_, allocated);
  if (!drawn_)
    drawn_ = allocated_;
  if (reopened_ > 0)
    learn_settled();
}

std::optional<read_range> read_window::next() const {
  const auto limit = room();
  const auto known = std::max(cursor_, unseen_);
  if (limit == 0 || known >= allocated_)
    return std::nullopt;
  return read_range{cursor_, std::min(known + step_, allocated_), limit};
}

std::vector<delivery> read_window::take(const read_range& asked,
                                        std::span<const delivery> rows) {
  std::vector<delivery> out;
  out.reserve(rows.size());
  auto cursor = asked.upto;
  std::size_t seen = 0;
  for (const auto& row : rows) {
    if (!take_one(row, out)) {
      cursor = row.id - 1;
      break;
    }
    cursor = row.id;
    ++seen;
  }
  note_arrival(out);
  const bool to_the_end = rows.size() < static_cast<std::size_t>(asked.limit)
                          && (rows.empty() || cursor == rows.back().id);
  // Nobody runs who could have drawn the rest: it was rolled back, or is
  // others'.
  const auto last = rows.empty() ? asked.after : rows.back().id;
  if (last > asked.after)
    looks_ = 0;
  const bool wait = to_the_end && last < asked.upto && late_.watched() > 0
                    && looks_ < most_looks;
  looks_ = wait ? looks_ + 1 : 0;
  unseen_ = wait ? asked.upto : 0;
  if (to_the_end)
    cursor = wait ? last : asked.upto;
  move_cursor(asked.after, cursor, rows.first(seen));
  if (!to_the_end)
    step_ = std::max<std::int64_t>(step_ / 2, 64);
  else if (rows.size() * 2 < static_cast<std::size_t>(asked.limit))
    step_ = std::min(step_ * 2, largest_step);
  refresh_skipped();
  return out;
}

/// `seen` are the rows of the ids above `from` up to `to`, by id.
void read_window::move_cursor(std::int64_t from, std::int64_t to,
                              std::span<const delivery> seen) {
  if (to <= cursor_)
    return;
  auto gap = to;
  for (auto row = seen.rbegin(); row != seen.rend() && row->id == gap; ++row)
    --gap;
  if (gap > from || from != cursor_)
    gap_ = std::max({gap_, gap, cursor_});
  cursor_ = to;
}

std::vector<delivery> read_window::take_handed(handover& from) {
  std::vector<delivery> out;
  if (seen_)
    allocated_ = std::max(allocated_, from.highest());
  if (!drawn_ || cursor_ < *drawn_ || late_.pending() || may_be_late()) {
    from.skip_to(from.highest());
    return out;
  }
  from.skip_to(cursor_);
  while (const auto* row = from.next(cursor_)) {
    if (row->queued && !take_one(row->row, out))
      break;
    ++cursor_;
    from.skip_to(cursor_);
  }
  note_arrival(out);
  refresh_skipped();
  return out;
}

/// One that has more of its own here waits for itself.
void read_window::note_arrival(std::span<const delivery> rows) {
  if (std::ranges::any_of(rows, [&](const delivery& row) {
        return held_by(row.endpoint).rows == 1;
      }))
    quiet_ = 0;
}

std::optional<read_range> read_window::next_late() {
  if (room() == 0 || POSTRIDER_FAILS("defect.cursor_alone"))
    return std::nullopt;
  const auto from = late_.take();
  if (!from)
    return std::nullopt;
  look_back(*from);
  if (*from >= cursor_)
    return std::nullopt;
  // What is in the window will be among the rows: ask for that many more.
  return read_range{*from, cursor_, room_and_known()};
}

std::vector<delivery> read_window::take_late(const read_range& asked,
                                             std::span<const delivery> rows) {
  std::vector<delivery> out;
  for (const auto& row : rows) {
    const auto before = out.size();
    if (!take_one(row, out)) {
      late_.put_back(row.id - 1);
      break;
    }
    late_found_ += out.size() - before;
  }
  if (rows.size() == static_cast<std::size_t>(asked.limit))
    late_.put_back(rows.back().id);
  refresh_skipped();
  return out;
}

std::vector<delivery> read_window::in_order(std::vector<delivery> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  const auto unread = late_.pending();
  std::erase_if(rows, [&](const delivery& row) {
    if (row.due != 0)
      return false;
    const auto behind = lagging_.find(row.endpoint);
    if (behind != lagging_.end() && row.id > behind->second.after) {
      leave(row.id); // its endpoint is read by itself from further back
      return true;
    }
    if (!unread || row.id <= *unread)
      return false;
    give_back(row);
    return true;
  });
  return rows;
}

std::vector<std::int64_t> read_window::due_skipped() const {
  std::vector<std::int64_t> out;
  for (const auto& [endpoint, since] : due_lagging_)
    out.push_back(endpoint);
  return out;
}

std::vector<delivery> read_window::take_due(std::span<const delivery> rows,
                                            std::int64_t upto,
                                            std::int64_t now) {
  std::vector<delivery> out;
  // While more is due than was read, go on from there; else look back.
  auto next = upto < now ? upto - 1 : now - due_overlap;
  for (const auto& row : rows) {
    if (is_known(row.id)) {
      // Its retry is due before the window heard of its outcome: once more.
      const auto place = rows_.find(row.id);
      if (place == rows_.end() || place->second.due != row.due)
        next = std::min(next, row.due - 1);
      continue;
    }
    const auto own = lagging_.find(row.endpoint);
    const bool parked = own != lagging_.end() && own->second.parked;
    if (parked || !has_room(row)) {
      if (parked || fills_share(row.endpoint))
        due_lagging_.try_emplace(
            row.endpoint,
            lag{row.partition, std::min(row.due - 1, now - due_overlap)});
      else
        next = std::min(next, row.due - 1);
      continue;
    }
    hold(row);
    out.push_back(row);
  }
  due_after_ = next;
  return out;
}

std::vector<delivery> read_window::take_swept(std::span<const delivery> rows) {
  std::vector<delivery> out;
  POSTRIDER_IF_FAILS("defect.cursor_alone", return out);
  for (const auto& row : rows) {
    if (row.due == 0 && row.id > cursor_)
      break;
    if (row.due != 0) {
      if (!is_known(row.id) && has_room(row)) {
        hold(row);
        out.push_back(row);
      }
      continue;
    }
    const auto before = out.size();
    if (!take_one(row, out))
      break;
    late_found_ += out.size() - before;
  }
  refresh_skipped();
  return out;
}

void read_window::leave(std::int64_t id) {
  const auto place = rows_.find(id);
  // Also what was not held: the answer may bring it nevertheless.
  departed_.insert(id);
  if (place == rows_.end())
    return;
  const auto endpoint = place->second.endpoint;
  const auto due_at = place->second.due;
  release(place->second);
  rows_.erase(place);
  if (reopened_ > 0)
    if (const auto own = lagging_.find(endpoint); own != lagging_.end()) {
      own->second.releasing.erase(id);
      if (own->second.before.erase(id) > 0)
        own->second.after = std::min(own->second.after, id - 1);
    }
  // A retry that its driver has turned away is no longer among what is read
  // again because it was due only now.
  if (due_at != 0 && lagging_.contains(endpoint)
      && lagging_.at(endpoint).gate != 0)
    due_again_ = std::min(due_again_, due_at - 1);
  if (const auto due = due_lagging_.find(endpoint);
      due != due_lagging_.end() && has_half_share(endpoint)) {
    due_again_ = std::min(due_again_, due->second.after);
    due_lagging_.erase(due);
  }
}

void read_window::give_back(const delivery& row) {
  const bool here = rows_.contains(row.id);
  leave(row.id);
  // Nothing of it was done: its share doesn't grow.
  if (const auto of = totals_.find(row.endpoint); here && of != totals_.end())
    --of->second.left;
  if (const auto later = due_lagging_.find(row.endpoint);
      row.due != 0 && later != due_lagging_.end())
    later->second.after = std::min(later->second.after, row.due - 1);
  else if (row.due != 0)
    due_again_ = std::min(due_again_, row.due - 1);
  else if (const auto own = lagging_.find(row.endpoint); own != lagging_.end())
    own->second.after = std::min(own->second.after, row.id - 1);
  else if (row.trial)
    trials_.insert_or_assign(row.endpoint, row.partition);
  else if (row.id <= cursor_)
    late_.put_back(row.id - 1);
}

int read_window::room() const {
  if (bytes_ >= limits_.bytes || rows_.size() >= limits_.rows)
    return 0;
  return static_cast<int>(limits_.rows - rows_.size());
}

bool read_window::is_known(std::int64_t id) const {
  return rows_.contains(id) || departed_.contains(id);
}

void read_window::hold(const delivery& row) {
  // A size below zero is nothing that we wrote.
  const auto size = std::max(row.size, 0);
  highest_ = std::max(highest_, row.id);
  rows_.emplace(row.id, held{row.endpoint, row.due, row.partition, size});
  auto& of = totals_[row.endpoint];
  ++of.rows;
  if (const auto group = groups_.find(row.endpoint); group != groups_.end())
    ++group_rows_[group->second];
  of.bytes += static_cast<std::size_t>(size);
  bytes_ += static_cast<std::size_t>(size);
}

void read_window::release(const held& row) {
  const auto of = totals_.find(row.endpoint);
  ++of->second.left;
  if (const auto group = groups_.find(row.endpoint); group != groups_.end()) {
    const auto rows = group_rows_.find(group->second);
    if (--rows->second == 0)
      group_rows_.erase(rows);
  }
  bytes_ -= static_cast<std::size_t>(row.size);
  of->second.bytes -= static_cast<std::size_t>(row.size);
  if (--of->second.rows == 0)
    totals_.erase(of);
}

/// False when the window as a whole has no room: the caller stops there.
bool read_window::take_one(const delivery& row, std::vector<delivery>& out) {
  if (is_known(row.id))
    return true;
  if (const auto behind = lagging_.find(row.endpoint);
      behind != lagging_.end() && row.id > behind->second.after)
    return true; // will be read by itself
  if (room() == 0)
    return false;
  if (fills_share(row.endpoint)) {
    fall_behind(row);
    return true;
  }
  hold(row);
  out.push_back(row);
  return true;
}

} // namespace postrider
