#include "net/client/response_reader.hpp"
#include "core/failpoint.hpp"

#include <algorithm>

namespace postrider::net::client {

namespace {

constexpr int most_interim = 5;

} // namespace

response_reader::response_reader(const response_limits& limits)
    : limits_{limits}, head_{limits.head} {}

void response_reader::feed(std::string_view bytes) {
  started_ = started_ || !bytes.empty();
  while (!bytes.empty() && !finished())
    bytes.remove_prefix(phase_ == phase::head ? feed_head(bytes)
                                              : feed_body(bytes));
  // Bytes that nobody asked for: they must never answer the next request.
  if (!bytes.empty())
    reusable_ = false;
}

std::size_t response_reader::feed_head(std::string_view bytes) {
  const auto taken = head_.feed(bytes);
  if (head_.over())
    end_head();
  return taken;
}

void response_reader::end_head() {
  if (head_.at() == response_head::state::too_large)
    return finish(false, attempt_error::headers_too_large);
  const bool final = head_.status() >= 200;
  if (head_.at() == response_head::state::malformed || head_.status() == 101
      || (!final && interim_ == most_interim))
    return finish(false, attempt_error::malformed_response);
  if (final)
    return begin_body();
  ++interim_;
  head_ = response_head{limits_.head};
}

void response_reader::begin_body() {
  framing_ = judge_framing(head_);
  using kind = response_framing::kind;
  const bool empty = framing_.body == kind::none
                     || (framing_.body == kind::length && framing_.length == 0);
  if (framing_.malformed)
    note_ = attempt_error::malformed_response;
  // Two lengths: waiting for the right one would be waiting for a guess.
  const bool guess = framing_.malformed && framing_.body == kind::length;
  body_ended_ = empty && !guess;
  if (empty || guess)
    return finish(framing_.reusable, note_);
  phase_ = phase::body;
}

std::size_t response_reader::feed_body(std::string_view bytes) {
  bytes = bytes.substr(0, limits_.body - body_taken_);
  std::size_t taken = bytes.size();
  if (framing_.body == response_framing::kind::chunked) {
    taken = feed_chunks(bytes);
  } else if (framing_.body == response_framing::kind::length) {
    taken = std::min<std::uint64_t>(framing_.length, bytes.size());
    framing_.length -= taken;
    keep(bytes.substr(0, taken));
    body_ended_ = framing_.length == 0;
  } else {
    keep(bytes);
  }
  body_taken_ += taken;
  if (finished())
    return taken;
  if (body_ended_)
    finish(framing_.reusable, note_);
  else if (body_taken_ == limits_.body
           // Too long to be read to its end, so enough is enough.
           || (framing_.body == response_framing::kind::length && cut_
               && framing_.length > limits_.body - body_taken_))
    finish(false, note_);
  return taken;
}

std::size_t response_reader::feed_chunks(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !chunks_.over()) {
    const auto piece = chunks_.feed(bytes.substr(taken));
    keep(piece.payload);
    taken += piece.taken;
  }
  if (chunks_.malformed())
    finish(false, attempt_error::malformed_response);
  else
    body_ended_ = chunks_.over();
  return taken;
}

void response_reader::keep(std::string_view content) {
  const auto room = limits_.excerpt - excerpt_.size();
  cut_ = cut_ || content.size() > room;
  excerpt_ += content.substr(0, room);
}

void response_reader::end_of_stream() {
  if (finished())
    return;
  if (phase_ == phase::body)
    body_ended_ = framing_.body == response_framing::kind::until_close;
  // Within the header fields of a response whose status counts already.
  else if (has_status())
    note_ = attempt_error::malformed_response;
  else
    note_ = attempt_error::connection_reset;
  finish(false, note_);
}

void response_reader::finish(bool reusable, attempt_error note) {
  phase_ = phase::finished;
  reusable_ = reusable;
  note_ = note;
}

void response_reader::move_into(attempt_result& result) {
  if (has_status())
    result.status = head_.status();
  POSTRIDER_IF_FAILS("defect.body_decides",
                     if (!body_ended_) result.status.reset());
  result.error = note_;
  result.headers = std::move(head_.fields());
  result.body_excerpt = std::move(excerpt_);
  result.body_truncated = cut_ || !body_ended_;
}

} // namespace postrider::net::client
