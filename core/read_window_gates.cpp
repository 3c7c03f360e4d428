#include "core/read_window.hpp"

#include <algorithm>
#include <utility>

// How an endpoint is read by the word of its breaker, and what is for a tenant.

namespace postrider {

namespace {

// Endpoints whose group is remembered though nothing of them is here.
constexpr std::size_t most_groups = 50'000;

} // namespace

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
    if (of.held && of.before.empty() && of.releasing.empty() && of.last
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

std::map<std::uint16_t, std::vector<std::int64_t>> read_window::lingering() {
  std::map<std::uint16_t, std::vector<std::int64_t>> out;
  for (auto& [id, row] : rows_) {
    row.lingering = row.seen;
    if (std::exchange(row.seen, true))
      out[row.partition].push_back(id);
  }
  return out;
}

void read_window::disowned(std::int64_t id) {
  const auto place = rows_.find(id);
  if (place == rows_.end() || !place->second.lingering)
    return;
  delivery row;
  row.id = id;
  row.endpoint = place->second.endpoint;
  row.due = place->second.due;
  row.partition = place->second.partition;
  give_back(row);
}

std::size_t read_window::assign(std::int64_t endpoint, std::uint64_t group) {
  if (groups_.size() > most_groups)
    std::erase_if(
        groups_, [&](const auto& one) { return !totals_.contains(one.first); });
  if (!groups_.try_emplace(endpoint, group).second)
    return std::numeric_limits<std::size_t>::max();
  const auto keep = group_share(endpoint);
  group_rows_[group] += held_by(endpoint).rows;
  return keep;
}

/// The whole share while a quarter of the group's part of the window is free;
/// then less, so that any number of endpoints that get nothing done leave room
/// for another of their group. Nothing when there is none left.
std::size_t read_window::group_share(std::int64_t endpoint,
                                     std::size_t coming) const {
  const auto place = groups_.find(endpoint);
  if (place == groups_.end())
    return limits_.per_endpoint;
  const auto part = limits_.rows * 3 / 4;
  const auto rows = group_rows_.find(place->second);
  const auto taken = coming + (rows == group_rows_.end() ? 0 : rows->second);
  if (taken >= part)
    return 0;
  const auto free = std::min(1.0, static_cast<double>(part - taken) * 4
                                      / static_cast<double>(part));
  const auto whole = static_cast<double>(limits_.per_endpoint);
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(whole * free * free * free));
}

} // namespace postrider
