#include "net/client/pool.hpp"

#include "core/failpoint.hpp"
#include "net/client/request_head.hpp"
#include "net/client/settings.hpp"

#include <algorithm>
#include <utility>

namespace postrider::net::client {

namespace {

constexpr std::size_t most_waiting = 100'000;
constexpr std::size_t scratch_size = 64 * 1024;

} // namespace

pool::pool(boost::asio::io_context& io, http_client_settings settings,
           std::shared_ptr<http_client_meters> meters)
    : io_{io},
      settings_{std::move(settings)},
      meters_{std::move(meters)},
      names_{settings_->options.names, meters_},
      scratch_(scratch_size),
      ready_{io},
      timer_{io} {}

const http_client_options& pool::options() const {
  return settings_->options;
}

void pool::apply(http_client_settings settings) {
  settings_ = std::move(settings);
  // Backwards: one that leaves is replaced by one that was looked at.
  for (auto i = connections_.size(); i-- > 0;)
    if (const auto each = connections_[i]; each->idle())
      retire(each);
  serve_waiting();
  count();
}

void pool::submit(exchange_ptr work) {
  if (stopped_)
    return settle(std::move(work), attempt_error::cancelled);
  if (auto why = refuse_request(work->request))
    return settle(std::move(work), attempt_error::internal, std::move(*why));
  POSTRIDER_IF_FAILS("defect.success_first", attempt_result early;
                     early.status = 200; work->done(std::move(early)));
  keep_time();
  if (!serve(work)) {
    if (waiting_.size() == most_waiting)
      return settle(std::move(work), attempt_error::local_resources,
                    "too many requests wait for a connection");
    waiting_.push_back(std::move(work));
  }
  count();
}

bool pool::serve(exchange_ptr& work) {
  if (reuse(work))
    return true;
  if (open() >= options().max_connections && !retire_any_idle())
    return false;
  begin_dial(std::move(work));
  return true;
}

void pool::serve_waiting() {
  while (!waiting_.empty() && serve(waiting_.front()))
    waiting_.pop_front();
}

bool pool::reuse(exchange_ptr& work) {
  while (const auto found = idles_.take(work->request.target)) {
    // Bytes that came since the last response would be taken for the answer
    // to this request (D-11).
    if (steady::now() - found->born() < options().max_connection_age
        && found->still_quiet()) {
      found->start(std::move(work));
      meters_->reused.add();
      return true;
    }
    retire(found);
  }
  return false;
}

void pool::begin_dial(exchange_ptr work) {
  const auto& request = work->request;
  const auto deadline =
      std::min(work->deadline, steady::now() + request.connect_timeout);
  const auto which = dials_.insert(dials_.end(), dialling{});
  which->connecting = std::make_shared<dial>(
      dial_tools{io_, names_, settings_, *meters_}, request.target, deadline,
      [this, which](dial_result result) { dialled(which, std::move(result)); });
  which->work = std::move(work);
  which->connecting->start();
}

void pool::dialled(std::list<dialling>::iterator which, dial_result result) {
  auto work = std::move(which->work);
  // The dial is in the middle of this call and must outlive it.
  const auto done = std::move(which->connecting);
  dials_.erase(which);
  work->timings.dns = result.dns;
  work->timings.connect = result.connect;
  work->timings.tls = result.tls;
  if (!result.link) {
    serve_waiting();
    count();
    return settle(std::move(work), result.error, std::move(result.detail));
  }
  const auto& target = work->request.target;
  auto made = std::make_shared<connection>(
      *this, done->settings(), scratch_,
      origin{target.tls, target.host, target.port}, std::move(*result.link));
  if (!ready_.add(made)) {
    serve_waiting();
    count();
    return settle(std::move(work), attempt_error::local_resources,
                  "the kernel can't watch another socket");
  }
  made->slot = connections_.size();
  connections_.push_back(made);
  meters_->opened.add();
  meters_->fresh.add();
  made->start(std::move(work));
  count();
}

void pool::became_idle(const connection_ptr& which) {
  if (stopped_ || which->settings() != settings_)
    retire(which);
  else
    idles_.put(which);
  serve_waiting();
  count();
}

void pool::closed(connection& which) {
  idles_.remove(which);
  forget(which);
  serve_waiting();
  count();
}

void pool::went_stale(connection& which, exchange_ptr work) {
  forget(which);
  begin_dial(std::move(work));
  count();
}

void pool::retire(const connection_ptr& which) {
  which->close();
  idles_.remove(*which);
  forget(*which);
}

bool pool::retire_any_idle() {
  if (idles_.size() == 0)
    return false;
  // Starts where the last search ended, so that it is short on average.
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    sweep_ = (sweep_ + 1) % connections_.size();
    const auto candidate = connections_[sweep_];
    if (candidate->idle()) {
      retire(candidate);
      return true;
    }
  }
  return false;
}

void pool::forget(connection& which) {
  const auto slot = which.slot;
  connections_.back()->slot = slot;
  std::swap(connections_[slot], connections_.back());
  connections_.pop_back();
}

void pool::count() {
  idle_.store(idles_.size(), std::memory_order_relaxed);
  active_.store(connections_.size() - idles_.size() + dials_.size()
                    + waiting_.size(),
                std::memory_order_relaxed);
}

} // namespace postrider::net::client
