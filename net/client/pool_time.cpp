// The pool's clock: one coarse timer for all deadlines, as a timer of the
// kernel for each request would cost more than the request.
#include "net/client/pool.hpp"

#include <algorithm>

namespace postrider::net::client {

namespace {

constexpr std::chrono::milliseconds tick_every{50};
constexpr std::chrono::seconds surplus_after{1};

} // namespace

void pool::keep_time() {
  if (ticking_)
    return;
  ticking_ = true;
  timer_.expires_after(tick_every);
  timer_.async_wait([this](boost::system::error_code fault) {
    ticking_ = false;
    if (!fault && !stopped_)
      tick();
  });
}

void pool::tick() {
  const auto now = steady::now();
  tick_connections(now);
  for (auto each = dials_.begin(); each != dials_.end();) {
    // It may end and leave the list in this call.
    const auto connecting = (each++)->connecting;
    connecting->tick(now);
  }
  tick_waiting(now);
  // One that has just become idle is about to be used again under load:
  // opening another costs more than ten requests.
  for (const auto& each :
       idles_.surplus(options().max_idle_per_origin, now - surplus_after))
    retire(each);
  idles_.sweep();
  count();
  if (open() > 0 || !waiting_.empty())
    keep_time();
}

void pool::tick_connections(steady::time_point now) {
  // Backwards: one that leaves is replaced by one that was looked at.
  for (auto i = connections_.size(); i-- > 0;) {
    if (i >= connections_.size())
      continue;
    const auto each = connections_[i];
    if (!each->idle())
      each->tick(now);
    else if (now - each->idle_since() >= options().idle_timeout
             || now - each->born() >= options().max_connection_age)
      retire(each);
  }
}

void pool::tick_waiting(steady::time_point now) {
  std::vector<exchange_ptr> late;
  const auto expired = [now](const exchange_ptr& each) {
    return now >= each->deadline;
  };
  for (auto& each : waiting_)
    if (expired(each))
      late.push_back(std::move(each));
  std::erase(waiting_, nullptr);
  for (auto& each : late)
    settle(std::move(each), attempt_error::local_resources,
           "no connection became free");
}

void pool::shut_down() {
  stopped_ = true;
  timer_.cancel();
  for (auto& each : std::exchange(waiting_, {}))
    settle(std::move(each), attempt_error::cancelled);
  while (!dials_.empty()) {
    dials_.front().connecting->cancel();
    auto work = std::move(dials_.front().work);
    dials_.pop_front();
    settle(std::move(work), attempt_error::cancelled);
  }
  while (!connections_.empty()) {
    const auto each = connections_.back();
    if (each->idle())
      retire(each);
    else
      each->cancel();
  }
  ready_.stop();
  count();
}

} // namespace postrider::net::client
