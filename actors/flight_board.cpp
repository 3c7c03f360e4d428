#include "actors/flight_board.hpp"

#include <algorithm>
#include <utility>

namespace postrider::actors {

flight_board::arrival flight_board::enter(const store::lease& under,
                                          flights& out) {
  const std::lock_guard lock{mutex_};
  auto& here = places_[under.partition];
  if (here.taken)
    return arrival::early;
  here.taken = true;
  auto left = std::exchange(here.left, std::nullopt);
  if (here.epoch != under.epoch)
    return arrival::alone;
  if (left)
    out = std::move(*left);
  return arrival::heir;
}

void flight_board::leave(const store::lease& under, flights left,
                         std::int64_t handled) {
  const std::lock_guard lock{mutex_};
  auto& here = places_[under.partition];
  here.taken = false;
  here.epoch = under.epoch;
  if (!left.open.empty() && here.abandoned != under.epoch)
    here.left = std::move(left);
  if (turn_ == under.partition)
    turn_.reset();
  if (handled == 0)
    return;
  suspects_.blame(handled);
  suspicious_ = true;
}

void flight_board::abandon(const store::lease& lost) {
  const std::lock_guard lock{mutex_};
  auto& here = places_[lost.partition];
  here.abandoned = lost.epoch;
  here.left.reset();
}

bool flight_board::in_use() const {
  const std::lock_guard lock{mutex_};
  return std::any_of(places_.begin(), places_.end(), [](const auto& item) {
    return item.second.taken || item.second.left;
  });
}

bool flight_board::take_turn(std::uint16_t partition) {
  const std::lock_guard lock{mutex_};
  if (!turn_)
    turn_ = partition;
  return turn_ == partition;
}

void flight_board::give_turn(std::uint16_t partition) {
  const std::lock_guard lock{mutex_};
  if (turn_ == partition)
    turn_.reset();
}

void flight_board::doubt(std::uint16_t partition,
                         std::vector<std::int64_t> some) {
  const std::lock_guard lock{mutex_};
  doubts_[partition] = std::move(some);
  doubtful_ = doubts_.size();
}

std::vector<std::int64_t> flight_board::doubted(std::uint16_t partition) {
  if (doubtful_ == 0)
    return {};
  const std::lock_guard lock{mutex_};
  const auto asked = doubts_.find(partition);
  if (asked == doubts_.end())
    return {};
  auto out = std::move(asked->second);
  doubts_.erase(asked);
  doubtful_ = doubts_.size();
  return out;
}

void flight_board::disown(const std::vector<std::int64_t>& some) {
  const std::lock_guard lock{mutex_};
  disowned_.insert(disowned_.end(), some.begin(), some.end());
}

std::vector<std::int64_t> flight_board::disowned() {
  const std::lock_guard lock{mutex_};
  return std::exchange(disowned_, {});
}

bool flight_board::convicted(std::int64_t delivery) const {
  if (!suspicious_)
    return false;
  const std::lock_guard lock{mutex_};
  return suspects_.convicted(delivery);
}

void flight_board::forget(std::int64_t delivery) {
  if (!suspicious_)
    return;
  const std::lock_guard lock{mutex_};
  suspects_.forget(delivery);
  suspicious_ = !suspects_.empty();
}

} // namespace postrider::actors
