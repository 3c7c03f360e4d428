#include "core/read_window.hpp"

#include <algorithm>
#include <limits>

// How much of the window an endpoint may have, and how those that lag behind
// are read by themselves.

namespace postrider {

namespace {

// As many endpoints as one statement reads by themselves.
constexpr std::size_t most_shares = 256;
// And as many rows. What is new elsewhere waits for the answer, so while there
// is something new it asks for few: five times as many delay others by 20 to 40
// ms more. For a backlog alone few cost a sixth of the rate.
constexpr int most_share_rows = 500;
constexpr int few_share_rows = 100;
// So many questions without anything new: it is a backlog alone.
constexpr int quiet_questions = 32;
// So many of those that lag are put in order for one question.
constexpr std::size_t most_compared = 1024;
// What an endpoint may have before any of it has left.
constexpr std::size_t first_share = 8;

} // namespace

/// Those that may be read by themselves now, whoever had least so far first:
/// how much one gets at a time depends on the room there is just then, and
/// would add up to nothing alike. By turns where they are very many.
std::vector<const std::pair<const std::int64_t, read_window::lag>*>
read_window::next_lagging() const {
  std::vector<const std::pair<const std::int64_t, lag>*> out;
  auto place = lagging_.upper_bound(share_turn_);
  for (std::size_t tried = 0;
       tried < lagging_.size() && out.size() < most_compared;
       ++tried, ++place) {
    if (place == lagging_.end())
      place = lagging_.begin();
    const auto& [endpoint, of] = *place;
    // In one answer its rows would stand among those that are to be its trial.
    if (of.parked || (of.held && of.after >= cursor_)
        || trials_.contains(endpoint))
      continue;
    // Only once half of its share is free: one statement for many rows.
    if (has_half_share(endpoint))
      out.push_back(&*place);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
    return a->second.given < b->second.given;
  });
  return out;
}

std::vector<read_share> read_window::next_shares() const {
  std::vector<read_share> out;
  auto left = std::min(room(), quiet_ < quiet_questions ? few_share_rows
                                                        : most_share_rows);
  // Few, and one row each: whatever the shares are.
  for (const auto& [endpoint, partition] : trials_)
    if (left > 0 && out.size() < most_shares) {
      out.push_back({partition, endpoint, 0, 1, true, true});
      --left;
    }
  std::size_t coming = 0;
  for (const auto* next : next_lagging()) {
    if (left == 0 || out.size() == most_shares)
      break;
    const auto& [endpoint, of] = *next;
    const auto want = wanted(endpoint, coming, left);
    if (want == 0)
      continue;
    left -= want;
    coming += static_cast<std::size_t>(want);
    // What was set back finds again what is here.
    const auto again =
        of.after < of.reached ? static_cast<int>(held_by(endpoint).rows) : 0;
    out.push_back({of.partition, endpoint, of.after, want + again, of.held,
                   false, of.gate});
  }
  return out;
}

/// How many more rows it may have when so many of others come before them: as
/// they come shares shrink, and what is over would be read twice.
int read_window::wanted(std::int64_t endpoint, std::size_t coming,
                        int most) const {
  auto has = held_by(endpoint);
  int out = 0;
  while (out < most && has.rows < share_of(endpoint, has, coming)) {
    ++has.rows;
    ++coming;
    ++out;
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
  note_given(asked);
  std::unordered_set<std::int64_t> found;
  for (const auto& row : rows) {
    if (outdated.contains(row.endpoint))
      continue;
    if (tried.contains(row.endpoint)) {
      // One that is here already is no trial: it is asked for again later.
      if (is_known(row.id) || !found.insert(row.endpoint).second)
        continue;
      if (room() == 0) { // others of this answer were large
        trials_.emplace(row.endpoint, row.partition);
        continue;
      }
      hold(row);
      out.push_back(row);
      out.back().trial = true;
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
      ++place->second.given;
      if (place->second.held && row.held)
        place->second.releasing.insert(row.id);
    }
    place->second.after = row.id;
    place->second.reached = std::max(place->second.reached, row.id);
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
  refresh_skipped();
  return out;
}

/// What one had no use for while others were read is not made up for later.
void read_window::note_given(std::span<const read_share> asked) {
  constexpr auto none = std::numeric_limits<std::uint64_t>::max();
  auto fewest = none;
  const auto in_turn = [turn = share_turn_](std::int64_t endpoint) {
    return std::pair{endpoint <= turn, endpoint};
  };
  auto last = in_turn(share_turn_ + 1);
  for (const auto& one : asked) {
    const auto place = lagging_.find(one.endpoint);
    if (one.trial || place == lagging_.end())
      continue;
    fewest = std::min(fewest, place->second.given);
    last = std::max(last, in_turn(one.endpoint));
  }
  if (fewest == none)
    return;
  share_turn_ = last.second;
  fewest_given_ = std::max(fewest_given_, fewest);
  for (const auto& one : asked)
    if (const auto place = lagging_.find(one.endpoint);
        !one.trial && place != lagging_.end())
      place->second.given = std::max(place->second.given, fewest_given_);
}

bool read_window::has_room(const delivery& row) const {
  return room() > 0 && !fills_share(row.endpoint);
}

/// The whole share while half of the window is free; then less, with the cube
/// of what is left, but never nothing.
std::size_t read_window::share(std::size_t coming) const {
  const auto half = std::max(1.0, static_cast<double>(limits_.rows) / 2);
  const auto left = std::max(0.0, room() - static_cast<double>(coming));
  const auto free = std::min(1.0, left / half);
  const auto whole = static_cast<double>(limits_.per_endpoint);
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(whole * free * free * free));
}

/// One that gets nothing done holds little: its share grows with what leaves.
std::size_t read_window::share_of(std::int64_t endpoint, const total& has,
                                  std::size_t coming) const {
  return std::min({share(coming), group_share(endpoint, coming),
                   first_share + 2 * has.left});
}

/// Of the bytes it may have an eighth of what is left, and one row of any size.
std::size_t read_window::byte_share() const {
  return (limits_.bytes - std::min(limits_.bytes, bytes_)) / 8;
}

bool read_window::fills_share(std::int64_t endpoint) const {
  const auto has = held_by(endpoint);
  return has.rows >= share_of(endpoint, has)
         || (has.rows > 0 && has.bytes > byte_share());
}

bool read_window::has_half_share(std::int64_t endpoint) const {
  const auto has = held_by(endpoint);
  const auto may = share_of(endpoint, has);
  return may > 0
         && (has.rows == 0
             || (has.rows * 2 <= may && has.bytes * 2 <= byte_share()));
}

read_window::total read_window::held_by(std::int64_t endpoint) const {
  const auto place = totals_.find(endpoint);
  return place == totals_.end() ? total{} : place->second;
}

void read_window::fall_behind(const delivery& row) {
  const auto [place, fresh] =
      lagging_.try_emplace(row.endpoint, lag{row.partition, row.id - 1});
  if (fresh && row.id > highest_)
    place->second.reached = row.id - 1;
  if (fresh)
    place->second.given = fewest_given_;
  else
    place->second.after = std::min(place->second.after, row.id - 1);
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
