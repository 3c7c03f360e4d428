#include "core/late_watch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace postrider {

namespace {

// Ranges beyond this are merged, which only looks further back.
constexpr std::size_t most_ranges = 64;

bool runs(const transactions& now, std::uint64_t id) {
  return std::find(now.running.begin(), now.running.end(), id)
         != now.running.end();
}

} // namespace

std::optional<std::int64_t> late_watch::saw(const transactions& now,
                                            std::int64_t cursor,
                                            std::int64_t gap) {
  lowest_ended_.reset();
  for (auto place = watched_.begin(); place != watched_.end();) {
    if (place->first < now.xmax && !runs(now, place->first)) {
      note_end(place->second, gap);
      place = watched_.erase(place);
    } else {
      ++place;
    }
  }
  for (auto& ids : unlisted_)
    resolve(ids, now, gap);
  std::erase_if(unlisted_,
                [](const auto& ids) { return ids.first == ids.end; });
  for (const auto id : now.running)
    watched_.try_emplace(id, cursor);
  note_unlisted(now, cursor);
  return lowest_ended_;
}

void late_watch::note_end(std::int64_t from, std::int64_t gap) {
  lowest_ended_ = std::min(lowest_ended_.value_or(from), from);
  // What it wrote above the cursor is read in the ordinary way.
  if (from < gap)
    put_back(from);
}

/// Below `xmax` the snapshot tells which of them run; the others have ended,
/// or were savepoints of one that is listed.
void late_watch::resolve(unlisted& ids, const transactions& now,
                         std::int64_t gap) {
  const auto told = std::min(ids.end, std::max(now.xmax, ids.first));
  auto ended = told - ids.first;
  for (const auto id : now.running)
    if (id >= ids.first && id < told) {
      watched_.try_emplace(id, ids.from);
      --ended;
    }
  if (ended > 0)
    note_end(ids.from, gap);
  ids.first = told;
}

void late_watch::note_unlisted(const transactions& now, std::int64_t cursor) {
  const auto first = std::max(now.xmax, told_);
  told_ = std::max(first, now.next);
  if (told_ == first)
    return;
  if (unlisted_.size() == most_ranges) {
    unlisted_.back().end = told_;
    unlisted_.back().from = std::min(unlisted_.back().from, cursor);
    return;
  }
  unlisted_.push_back({first, told_, cursor});
}

void late_watch::restart(std::int64_t cursor) {
  for (auto& [id, from] : watched_)
    from = std::min(from, cursor);
  for (auto& ids : unlisted_)
    ids.from = std::min(ids.from, cursor);
}

std::optional<std::int64_t> late_watch::take() {
  return std::exchange(ended_from_, std::nullopt);
}

std::int64_t late_watch::running_from() const noexcept {
  auto out = std::numeric_limits<std::int64_t>::max();
  for (const auto& [id, from] : watched_)
    out = std::min(out, from);
  for (const auto& ids : unlisted_)
    out = std::min(out, ids.from);
  return out;
}

std::uint64_t late_watch::ended_below() const noexcept {
  auto out = told_;
  if (!watched_.empty())
    out = std::min(out, watched_.begin()->first);
  for (const auto& ids : unlisted_)
    out = std::min(out, ids.first);
  return out;
}

void late_watch::put_back(std::int64_t from) {
  ended_from_ = ended_from_ ? std::min(*ended_from_, from) : from;
}

} // namespace postrider
