#include "actors/loop_unit.hpp"

#include <caf/actor_cast.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/resumable.hpp>
#include <caf/send.hpp>

#include <utility>

namespace postrider::actors {

namespace {

// As CAF's own workers: messages before another actor has its turn.
constexpr std::size_t throughput = 300;
// A result wakes a partition, which wakes the worker and the settler; what
// goes on after that comes after the sockets.
constexpr int rounds = 4;

} // namespace

loop_unit::loop_unit(caf::actor_system& system,
                     std::shared_ptr<net::http_client> loop)
    : caf::execution_unit{&system}, loop_{std::move(loop)} {}

void loop_unit::finished(attempt_ticket& to, attempt_result result) {
  const auto whom = to.answer(std::move(result));
  if (!whom)
    return;
  // After its stop the client answers on the thread of who asks.
  if (!loop_->on_loop()) {
    caf::anon_send(*whom, atom::finished_v);
    return;
  }
  caf::actor_cast<caf::strong_actor_ptr>(*whom)->enqueue(
      caf::make_mailbox_element(nullptr, caf::make_message_id(), {},
                                atom::finished_v),
      this);
}

void loop_unit::exec_later(caf::resumable* job) {
  ready_.push_back(job);
  if (!awaited_)
    await();
}

void loop_unit::await() {
  awaited_ = true;
  loop_->later([self = shared_from_this()] { self->run(); });
}

void loop_unit::run() {
  for (int round = 0; round < rounds && !ready_.empty(); ++round) {
    running_.swap(ready_);
    for (auto* job : running_) {
      if (job->resume(this, throughput) == caf::resumable::resume_later)
        ready_.push_back(job);
      else
        caf::intrusive_ptr_release(job);
    }
    running_.clear();
  }
  awaited_ = false;
  if (!ready_.empty())
    await();
}

} // namespace postrider::actors
