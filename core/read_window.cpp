#include "core/read_window.hpp"
#include "core/failpoint.hpp"

#include <algorithm>
#include <utility>

namespace postrider {

namespace {

// Due times are read again this far back, because a retry becomes visible
// only some time after its due time was computed. In microseconds.
constexpr std::int64_t due_overlap = 10'000'000;
constexpr std::int64_t largest_step = 1 << 20;
// As many endpoints as one statement reads by themselves.
constexpr std::size_t most_shares = 256;
// And as many rows: what is new elsewhere waits for the answer.
constexpr int most_share_rows = 500;
// What an endpoint may have before any of it has left.
constexpr std::size_t first_share = 8;
// Endpoints whose group is remembered though nothing of them is here.
constexpr std::size_t most_groups = 50'000;

} // namespace

void read_window::limit(read_limits limits) {
  limits_ = limits;
  refresh_skipped();
}

void read_window::restart(std::int64_t cursor) {
  cursor_ = std::min(cursor_, cursor);
  if (!seen_)
    cursor_ = cursor;
  step_ = 1'024;
  due_after_ = 0;
  late_.restart(cursor_);
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
  reopened_ = static_cast<std::size_t>(
      std::ranges::count_if(lagging_, [](const auto& item) {
        return item.second.held;
      }));
  std::erase_if(due_lagging_, of_it);
  refresh_skipped();
}

void read_window::saw(const transactions& now, std::int64_t allocated) {
  // Transactions that run at the very first read may have drawn any id, and so
  // may those that ended between the look for a start and this one.
  const auto ended = late_.saw(now, seen_ ? cursor_ : 0);
  if (!seen_)
    late_.put_back(0);
  // An endpoint that is read by itself may be further than a cursor that was
  // set back: there the ordinary way does not find what has ended.
  if (ended)
    look_back(*ended);
  seen_ = true;
  allocated_ = std::max(allocated_, allocated);
  if (reopened_ > 0)
    learn_settled();
}

std::optional<read_range> read_window::next() const {
  const auto limit = room();
  if (limit == 0 || cursor_ >= allocated_)
    return std::nullopt;
  return read_range{cursor_, std::min(cursor_ + step_, allocated_), limit};
}

std::vector<delivery> read_window::take(const read_range& asked,
                                        std::span<const delivery> rows) {
  std::vector<delivery> out;
  out.reserve(rows.size());
  auto cursor = asked.upto;
  for (const auto& row : rows) {
    if (!take_one(row, out)) {
      cursor = row.id - 1;
      break;
    }
    cursor = row.id;
  }
  const bool to_the_end = rows.size() < static_cast<std::size_t>(asked.limit)
                          && (rows.empty() || cursor == rows.back().id);
  cursor_ = std::max(cursor_, to_the_end ? asked.upto : cursor);
  if (!to_the_end)
    step_ = std::max<std::int64_t>(step_ / 2, 64);
  else if (rows.size() * 2 < static_cast<std::size_t>(asked.limit))
    step_ = std::min(step_ * 2, largest_step);
  refresh_skipped();
  return out;
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

std::vector<read_share> read_window::next_shares() const {
  std::vector<read_share> out;
  auto left = std::min(room(), most_share_rows);
  // Few, and one row each: whatever the shares are.
  for (const auto& [endpoint, partition] : trials_)
    if (left > 0 && out.size() < most_shares) {
      out.push_back({partition, endpoint, 0, 1, true, true});
      --left;
    }
  // By turns, so that those with low ids do not take all there is.
  auto place = lagging_.upper_bound(share_turn_);
  for (std::size_t tried = 0; tried < lagging_.size(); ++tried, ++place) {
    if (place == lagging_.end())
      place = lagging_.begin();
    if (left == 0 || out.size() == most_shares)
      break;
    const auto& [endpoint, of] = *place;
    if (of.parked || (of.held && of.after >= cursor_))
      continue;
    // Only once half of its share is free: one statement for many rows.
    if (!has_half_share(endpoint))
      continue;
    const auto has = held_by(endpoint);
    const auto many = static_cast<int>(has.rows);
    const auto want = std::min(left, static_cast<int>(share_of(has)) - many);
    left -= std::max(want, 0);
    if (want <= 0)
      continue;
    out.push_back({of.partition, endpoint, of.after, want + many, of.held,
                   false, of.gate});
  }
  return out;
}

std::vector<delivery>
read_window::take_shares(std::span<const read_share> asked,
                         std::span<const delivery> rows) {
  std::vector<delivery> out;
  std::unordered_map<std::int64_t, int> got;
  std::unordered_set<std::int64_t> tried;
  for (const auto& one : asked)
    if (one.trial && trials_.erase(one.endpoint) > 0)
      tried.insert(one.endpoint);
  // Asked for under another gate: it goes from the beginning since.
  std::unordered_set<std::int64_t> outdated;
  for (const auto& one : asked)
    if (const auto place = lagging_.find(one.endpoint);
        one.trial ? !tried.contains(one.endpoint)
                  : place != lagging_.end() && place->second.gate != one.gate)
      outdated.insert(one.endpoint);
  std::unordered_set<std::int64_t> found;
  for (const auto& row : rows) {
    if (outdated.contains(row.endpoint))
      continue;
    if (tried.contains(row.endpoint)) {
      // One that is here already is no trial: it is asked for again later.
      if (!is_known(row.id) && found.insert(row.endpoint).second) {
        hold(row);
        out.push_back(row);
        out.back().trial = true;
      }
      continue;
    }
    ++got[row.endpoint];
    const auto place = lagging_.find(row.endpoint);
    if (place == lagging_.end() || row.id <= place->second.after
        || got[row.endpoint] < 0)
      continue;
    // One that has left meanwhile may have been held, and not have ended.
    const bool doubtful = place->second.held && departed_.contains(row.id)
                          && !rows_.contains(row.id);
    if (!is_known(row.id) || doubtful) {
      if (doubtful || !has_room(row)) {
        // What follows is left for the next time: not caught up.
        got[row.endpoint] = -static_cast<int>(rows.size()) - 1;
        continue;
      }
      hold(row);
      out.push_back(row);
    }
    place->second.after = row.id;
  }
  for (const auto& one : asked) {
    if (one.trial) {
      if (tried.contains(one.endpoint) && !found.contains(one.endpoint))
        empty_trials_.push_back({one.partition, one.endpoint});
      continue;
    }
    const auto place = lagging_.find(one.endpoint);
    const auto many = got[one.endpoint];
    if (place == lagging_.end() || many < 0 || many >= one.limit
        || place->second.parked || place->second.gate != one.gate)
      continue;
    // Caught up with the cursor. A reopened one goes on by itself until
    // nothing can be held for it any more.
    if (one.held)
      place->second.after = std::max(place->second.after, cursor_);
    else
      lagging_.erase(place);
  }
  if (!asked.empty())
    share_turn_ = asked.back().endpoint;
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
    if (const auto own = lagging_.find(endpoint);
        own != lagging_.end() && own->second.before.erase(id) > 0)
      own->second.after = std::min(own->second.after, id - 1);
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
  leave(row.id);
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

void read_window::set_gate(std::uint16_t partition, std::int64_t endpoint,
                           read_gate how,
                           std::span<const std::int64_t> given_back) {
  for (const auto id : given_back) {
    if (const auto place = rows_.find(id);
        place != rows_.end() && place->second.due != 0)
      due_again_ = std::min(due_again_, place->second.due - 1);
    leave(id);
  }
  if (const auto due = due_lagging_.find(endpoint);
      how != read_gate::park && due != due_lagging_.end()) {
    due_again_ = std::min(due_again_, due->second.after);
    due_lagging_.erase(due);
  }
  trials_.erase(endpoint);
  std::erase_if(empty_trials_,
                [&](const auto& one) { return one.endpoint == endpoint; });
  if (how == read_gate::trial) {
    trials_.emplace(endpoint, partition);
    return;
  }
  if (const auto had = lagging_.find(endpoint); had != lagging_.end()) {
    reopened_ -= had->second.held;
    lagging_.erase(had);
  }
  if (how != read_gate::hold) {
    // What has left the window may stand anywhere: from the beginning.
    lag of{partition, 0};
    of.gate = ++gates_;
    of.parked = how == read_gate::park;
    of.held = how == read_gate::reopen;
    reopened_ += of.held;
    if (of.held && totals_.contains(endpoint))
      for (const auto& [id, row] : rows_)
        if (row.endpoint == endpoint)
          of.before.insert(id);
    lagging_.emplace(endpoint, std::move(of));
  }
  refresh_skipped();
}

std::vector<read_window::done_gate> read_window::gates_done() {
  auto out = std::exchange(empty_trials_, {});
  if (reopened_ == 0)
    return out;
  for (auto place = lagging_.begin(); place != lagging_.end();) {
    const auto& of = place->second;
    // The cursor may be far from what they have written.
    if (of.held && of.before.empty() && of.last
        && of.after >= std::max(cursor_, *of.last) && !late_.pending()) {
      out.push_back({of.partition, place->first});
      place = lagging_.erase(place);
      --reopened_;
    } else {
      ++place;
    }
  }
  refresh_skipped();
  return out;
}

/// Whoever saw the endpoint as it was had its id before that changed, so
/// before the first snapshot that was asked for after the word to reopen.
void read_window::learn_settled() {
  for (auto& [endpoint, of] : lagging_) {
    if (of.held && of.settled == 0 && of.asked)
      of.settled = late_.next();
    if (of.settled != 0 && !of.last && late_.ended_below() >= of.settled)
      of.last = allocated_;
  }
}

bool read_window::assign(std::int64_t endpoint, std::uint64_t group) {
  if (groups_.size() > most_groups)
    std::erase_if(groups_,
                  [&](const auto& one) { return !totals_.contains(one.first); });
  const auto [place, fresh] = groups_.try_emplace(endpoint, group);
  if (!fresh)
    return true;
  auto& rows = group_rows_[group];
  rows += held_by(endpoint).rows;
  return rows * 4 <= limits_.rows * 3;
}

bool read_window::group_is_full(std::int64_t endpoint) const {
  const auto place = groups_.find(endpoint);
  if (place == groups_.end())
    return false;
  const auto rows = group_rows_.find(place->second);
  return rows != group_rows_.end() && rows->second * 4 >= limits_.rows * 3;
}

int read_window::room() const {
  if (bytes_ >= limits_.bytes || rows_.size() >= limits_.rows)
    return 0;
  return static_cast<int>(limits_.rows - rows_.size());
}

bool read_window::is_known(std::int64_t id) const {
  return rows_.contains(id) || departed_.contains(id);
}

bool read_window::has_room(const delivery& row) const {
  return room() > 0 && !fills_share(row.endpoint);
}

/// The whole share while half of the window is free; then less, with the cube
/// of what is left, but never nothing.
std::size_t read_window::share() const {
  const auto half = std::max(1.0, static_cast<double>(limits_.rows) / 2);
  const auto free = std::min(1.0, room() / half);
  const auto whole = static_cast<double>(limits_.per_endpoint);
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(whole * free * free * free));
}

/// One that gets nothing done holds little: its share grows with what leaves.
std::size_t read_window::share_of(const total& has) const {
  return std::min(share(), first_share + 2 * has.left);
}

/// Of the bytes it may have an eighth of what is left, and one row of any size.
std::size_t read_window::byte_share() const {
  return (limits_.bytes - std::min(limits_.bytes, bytes_)) / 8;
}

bool read_window::fills_share(std::int64_t endpoint) const {
  const auto has = held_by(endpoint);
  return has.rows >= share_of(has) || (has.rows > 0 && has.bytes > byte_share())
         || group_is_full(endpoint);
}

bool read_window::has_half_share(std::int64_t endpoint) const {
  const auto has = held_by(endpoint);
  if (group_is_full(endpoint))
    return false;
  return has.rows == 0
         || (has.rows * 2 <= share_of(has) && has.bytes * 2 <= byte_share());
}

read_window::total read_window::held_by(std::int64_t endpoint) const {
  const auto place = totals_.find(endpoint);
  return place == totals_.end() ? total{} : place->second;
}

void read_window::hold(const delivery& row) {
  // A size below zero is nothing that we wrote.
  const auto size = std::max(row.size, 0);
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

void read_window::fall_behind(const delivery& row) {
  const auto [place, fresh] =
      lagging_.try_emplace(row.endpoint, lag{row.partition, row.id - 1});
  if (!fresh)
    place->second.after = std::min(place->second.after, row.id - 1);
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

/// An endpoint that is read by itself is read again from there; what is in the
/// window already is offered twice and taken once.
void read_window::look_back(std::int64_t from) {
  for (auto& [endpoint, of] : lagging_)
    of.after = std::min(of.after, from);
}

void read_window::refresh_skipped() {
  if (skipped_.size() == lagging_.size()
      && std::equal(skipped_.begin(), skipped_.end(), lagging_.begin(),
                    [](auto a, const auto& b) { return a == b.first; }))
    return;
  skipped_.clear();
  for (const auto& [endpoint, of] : lagging_)
    skipped_.push_back(endpoint);
}

} // namespace postrider
