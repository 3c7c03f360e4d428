#include "actors/attempt_inbox.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace postrider::actors {

std::optional<partition_actor> attempt_inbox::put(std::int64_t job,
                                                  attempt_result what) {
  const std::lock_guard lock{mutex_};
  waiting_.push_back({job, std::move(what)});
  if (!driver_ || std::exchange(told_, true))
    return std::nullopt;
  return driver_;
}

void attempt_inbox::deliver(std::int64_t job, attempt_result what) {
  if (const auto whom = put(job, std::move(what)))
    caf::anon_send(*whom, atom::finished_v);
}

std::deque<attempt_inbox::entry> attempt_inbox::take() {
  const std::lock_guard lock{mutex_};
  told_ = false;
  return std::exchange(waiting_, {});
}

void attempt_inbox::put_back(std::deque<entry> some) {
  const std::lock_guard lock{mutex_};
  std::move(waiting_.begin(), waiting_.end(), std::back_inserter(some));
  waiting_ = std::move(some);
}

void attempt_inbox::belongs_to(const partition_actor& driver) {
  const std::lock_guard lock{mutex_};
  driver_ = driver;
  told_ = false;
}

attempt_ticket::attempt_ticket(std::shared_ptr<attempt_inbox> to,
                               std::int64_t job)
    : to_{std::move(to)}, job_{job} {}

attempt_ticket::~attempt_ticket() {
  if (answered_)
    return;
  attempt_result unsent;
  unsent.error = attempt_error::cancelled;
  to_->deliver(job_, std::move(unsent));
}

std::optional<partition_actor> attempt_ticket::answer(attempt_result what) {
  answered_ = true;
  return to_->put(job_, std::move(what));
}

void attempt_ticket::deliver(attempt_result what) {
  answered_ = true;
  to_->deliver(job_, std::move(what));
}

} // namespace postrider::actors
