#include "actors/outcome_box.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace postrider::actors {

namespace {

// No question to the database that was asked before is answered after.
constexpr std::chrono::seconds recently{5};

/// Spends no attempt and ends nothing, so its row looks the same before and
/// after.
bool is_only_held(const store::settlement& of) {
  return of.state == delivery_state::held && !of.sent;
}

} // namespace

outcome_box::settled outcome_box::in_short(const store::settlement& of) {
  return {of.delivery, of.attempts, of.partition};
}

std::optional<settler_actor> outcome_box::put(store::settlement one) {
  const std::lock_guard lock{mutex_};
  waiting_.push_back(std::move(one));
  ++came_;
  if (!settler_ || std::exchange(told_, true))
    return std::nullopt;
  return settler_;
}

std::shared_ptr<const settlement_list> outcome_box::take(std::size_t most) {
  const std::lock_guard lock{mutex_};
  const auto end =
      waiting_.begin()
      + static_cast<std::ptrdiff_t>(std::min(most, waiting_.size()));
  taken_ = std::make_shared<const settlement_list>(
      std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return taken_;
}

void outcome_box::return_taken() {
  if (const auto batch = std::exchange(taken_, nullptr))
    waiting_.insert(waiting_.begin(), batch->begin(), batch->end());
}

void outcome_box::put_back() {
  const std::lock_guard lock{mutex_};
  return_taken();
}

std::vector<partition_actor> outcome_box::done(time_point now) {
  const std::lock_guard lock{mutex_};
  if (const auto batch = std::exchange(taken_, nullptr)) {
    ended_ += batch->size();
    auto& last = written_.emplace_back(written{now, {}});
    last.what.reserve(batch->size());
    for (const auto& one : *batch)
      if (!is_only_held(one))
        last.what.push_back(in_short(one));
  }
  while (!written_.empty() && written_.front().at + recently < now)
    written_.pop_front();
  std::vector<partition_actor> out;
  const auto end = draining_.upper_bound(ended_);
  for (auto place = draining_.begin(); place != end; ++place)
    out.push_back(place->second);
  draining_.erase(draining_.begin(), end);
  return out;
}

std::vector<partition_actor> outcome_box::given_up(time_point now) {
  {
    const std::lock_guard lock{mutex_};
    for (const auto& one : *taken_)
      hopeless_.emplace(one.delivery, one.partition);
  }
  return done(now);
}

void outcome_box::begins(std::uint16_t partition) {
  const std::lock_guard lock{mutex_};
  const auto add_each = [&](const auto& some) {
    for (const auto& one : some)
      if (one.partition == partition && !no_news_.contains(one.delivery))
        no_news_.insert(one.delivery);
  };
  if (taken_)
    add_each(*taken_);
  add_each(waiting_);
}

std::vector<std::int64_t>
outcome_box::news_of(const std::vector<std::int64_t>& all) {
  const std::lock_guard lock{mutex_};
  if (no_news_.empty())
    return all;
  std::vector<std::int64_t> out;
  for (const auto id : all)
    if (const auto place = no_news_.find(id); place != no_news_.end())
      no_news_.erase(place);
    else
      out.push_back(id);
  return out;
}

std::unordered_set<std::int64_t>
outcome_box::unwritten(std::uint16_t partition) const {
  const std::lock_guard lock{mutex_};
  std::unordered_set<std::int64_t> out;
  const auto add_each = [&](const auto& some) {
    for (const auto& one : some)
      if (one.partition == partition)
        out.insert(one.delivery);
  };
  add_each(waiting_);
  if (taken_)
    add_each(*taken_);
  for (const auto& [id, of] : hopeless_)
    if (of == partition)
      out.insert(id);
  return out;
}

std::optional<settler_actor> outcome_box::unheard() const {
  const std::lock_guard lock{mutex_};
  return told_ && !waiting_.empty() ? settler_ : std::nullopt;
}

bool outcome_box::tell_when_written(const partition_actor& driver) {
  const std::lock_guard lock{mutex_};
  if (ended_ >= came_)
    return false;
  draining_.emplace(came_, driver);
  return true;
}

void outcome_box::heard() {
  const std::lock_guard lock{mutex_};
  told_ = false;
}

std::unordered_map<std::int64_t, int>
outcome_box::recent(std::uint16_t partition) const {
  const std::lock_guard lock{mutex_};
  std::unordered_map<std::int64_t, int> out;
  const auto add = [&](const settled& one) {
    if (one.partition == partition)
      out.insert_or_assign(one.delivery, one.attempts);
  };
  const auto add_each = [&](const auto& some) {
    for (const auto& one : some)
      if (!is_only_held(one))
        add(in_short(one));
  };
  for (const auto& some : written_)
    for (const auto& one : some.what)
      add(one);
  if (taken_)
    add_each(*taken_);
  add_each(waiting_);
  return out;
}

std::size_t outcome_box::waiting() const {
  const std::lock_guard lock{mutex_};
  return waiting_.size();
}

std::uint64_t outcome_box::came() const {
  const std::lock_guard lock{mutex_};
  return came_;
}

std::uint64_t outcome_box::ended() const {
  const std::lock_guard lock{mutex_};
  return ended_;
}

void outcome_box::written_by(const settler_actor& settler) {
  const std::lock_guard lock{mutex_};
  settler_ = settler;
  told_ = false;
  return_taken();
}

void outcome_box::read_by(const reader_actor& reader) {
  const std::lock_guard lock{mutex_};
  reader_ = reader;
}

std::optional<settler_actor> outcome_box::settler() const {
  const std::lock_guard lock{mutex_};
  return settler_;
}

std::optional<reader_actor> outcome_box::reader() const {
  const std::lock_guard lock{mutex_};
  return reader_;
}

} // namespace postrider::actors
