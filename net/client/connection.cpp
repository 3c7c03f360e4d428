#include "net/client/connection.hpp"

#include "core/failpoint.hpp"
#include "net/client/pool.hpp"
#include "net/client/request_head.hpp"
#include "net/client/settings.hpp"

#include <algorithm>
#include <utility>

namespace postrider::net::client {

namespace {

// For a body after the status has decided the attempt.
constexpr std::chrono::seconds body_grace{1};
// Below this, one TLS record for head and body costs less than two.
constexpr std::size_t joined_body = 12 * 1024;

bool too_late(const http_request& request) {
  return request.begin_before
         && steady::now().time_since_epoch().count()
                >= request.begin_before->load(std::memory_order_relaxed);
}

} // namespace

connection::connection(pool& owner, http_client_settings settings,
                       std::span<char> scratch, origin where, transport link)
    : owner_{owner},
      settings_{std::move(settings)},
      scratch_{scratch},
      where_{std::move(where)},
      link_{std::move(link)} {}

void connection::start(exchange_ptr work) {
  work_ = std::move(work);
  const auto& request = work_->request;
  write_request_head(request, head_);
  body_left_ = {};
  if (request.body)
    body_left_ = *request.body;
  if (link_.secured() && body_left_.size() <= joined_body) {
    head_ += body_left_;
    body_left_ = {};
  }
  head_left_ = head_;
  reader_.emplace(settings_->limits);
  body_deadline_ = steady::time_point::max();
  POSTRIDER_FAILPOINT("client.begins");
  if (too_late(request))
    return give_up_soon();
  POSTRIDER_FAILPOINT("client.connected");
  POSTRIDER_IF_FAILS(
      "client.half_sent",
      link_.write(head_left_.substr(0, head_left_.size() / 2), {});
      POSTRIDER_FAILPOINT("client.half_sent_crash"));
  push();
}

void connection::give_up_soon() {
  // Whoever has started this still works with it.
  boost::asio::post(link_.socket().get_executor(), [self = shared_from_this()] {
    if (self->work_)
      self->give_up(attempt_error::cancelled);
  });
}

void connection::push() {
  while (!written() && !write_broken_) {
    const auto [what, bytes] = link_.write(head_left_, body_left_);
    if (what == transport::state::want_write
        || what == transport::state::want_read)
      return; // `ready` leads here again
    if (what != transport::state::done) {
      // The peer may have answered before it closed: reading will tell.
      write_broken_ = true;
      return;
    }
    const auto of_head = std::min(bytes, head_left_.size());
    head_left_.remove_prefix(of_head);
    body_left_.remove_prefix(bytes - of_head);
    if (written())
      POSTRIDER_FAILPOINT("client.sent");
  }
}

void connection::pull() {
  const auto* const of = work_.get();
  while (work_.get() == of) {
    const auto [what, bytes] = link_.read(scratch_.data(), scratch_.size());
    if (what == transport::state::want_read
        || what == transport::state::want_write)
      return;
    if (what != transport::state::done)
      return broken(what);
    const bool all = !link_.secured() && bytes < scratch_.size() && !ended_;
    take({scratch_.data(), bytes});
    if (all)
      return; // the next edge is still to come
  }
}

void connection::take(std::string_view bytes) {
  if (!reader_->started()) {
    const auto waited = steady::now() - work_->started;
    work_->timings.first_byte =
        std::chrono::duration_cast<std::chrono::milliseconds>(waited);
    owner_.meters().first_byte.observe(waited);
  }
  reader_->feed(bytes);
  if (reader_->has_status())
    POSTRIDER_FAILPOINT("client.status_read");
  if (reader_->finished())
    return complete();
  if (reader_->in_body() && body_deadline_ == steady::time_point::max())
    body_deadline_ = std::min(work_->deadline, steady::now() + body_grace);
}

void connection::broken(transport::state how) {
  if (!reader_->started()) {
    if (reused_ || POSTRIDER_FAILS("defect.hidden_retry")) {
      close();
      return owner_.went_stale(*this, std::move(work_));
    }
    // Under TLS 1.3 a refusal of the client arrives after the handshake.
    if (link_.secured() && how == transport::state::failed
        && link_.fault().alert)
      return give_up(attempt_error::tls_failure);
  }
  reader_->end_of_stream();
  complete();
}

void connection::complete() {
  const auto self = shared_from_this();
  attempt_result result;
  reader_->move_into(result);
  result.connection_reused = reused_;
  const bool keep =
      reader_->reusable() && written() && !write_broken_ && !ended_;
  reader_.reset();
  auto work = std::move(work_);
  if (keep) {
    idle_since_ = steady::now();
    reused_ = true;
    owner_.became_idle(self);
  } else {
    close();
    owner_.closed(*self);
  }
  POSTRIDER_IF_FAILS(
      "defect.redirect_followed",
      const auto to = find_header(result.headers, "location");
      if (result.status.value_or(0) / 100 == 3 && to) {
        work->request.target = std::get<url>(parse_url(*to));
        return owner_.submit(std::move(work));
      });
  settle(std::move(work), std::move(result));
}

void connection::give_up(attempt_error error) {
  const auto self = shared_from_this();
  attempt_result result;
  reader_->move_into(result);
  result.error = error;
  result.connection_reused = reused_;
  reader_.reset();
  auto work = std::move(work_);
  close();
  owner_.closed(*self);
  settle(std::move(work), std::move(result));
}

bool connection::nothing_to_read() {
  return link_.read(scratch_.data(), scratch_.size()).what
         == transport::state::want_read;
}

void connection::tick(steady::time_point now) {
  if (now >= work_->deadline && !reader_->in_body())
    give_up(written() ? attempt_error::timeout_response
                      : attempt_error::write_timeout);
  else if (now >= body_deadline_)
    complete();
}

void connection::cancel() {
  if (reader_->has_status())
    complete();
  else
    give_up(attempt_error::cancelled);
}

void connection::close() {
  if (!std::exchange(closed_, true))
    owner_.tells_no_more(*this);
  link_.close();
}

void connection::ready(bool ended) {
  if (closed_)
    return;
  ended_ |= ended;
  if (idle()) {
    if (nothing_to_read()) // under TLS, a ticket or a new key
      return;
    close();
    return owner_.closed(*this);
  }
  push();
  pull();
}

} // namespace postrider::net::client
