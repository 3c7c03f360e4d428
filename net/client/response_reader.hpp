#pragma once

#include "core/attempt.hpp"
#include "net/client/chunked_body.hpp"
#include "net/client/response_framing.hpp"
#include "net/client/response_head.hpp"

#include <cstddef>
#include <string_view>

namespace postrider::net::client {

struct response_limits {
  std::size_t head = 64 * 1024;
  std::size_t body = 64 * 1024;   ///< read, framing included
  std::size_t excerpt = 4 * 1024; ///< kept
};

/// Reads one response as bytes come and judges when it is over and whether the
/// connection can carry another request. Knows no socket and no clock.
/// (RELIABILITY 6.3.)
class response_reader {
public:
  explicit response_reader(const response_limits& limits);

  void feed(std::string_view bytes);
  /// The peer ended the stream, orderly or not.
  void end_of_stream();

  bool finished() const { return phase_ == phase::finished; }
  /// A byte of a response has come.
  bool started() const { return started_; }
  /// The status is known and the head is complete: only the body is awaited.
  bool in_body() const { return phase_ == phase::body; }
  bool has_status() const { return head_.status() >= 200; }
  /// Nothing stands between this response and the next one on the connection.
  bool reusable() const { return finished() && reusable_; }

  /// Puts what was read so far, finished or not, into `result`.
  void move_into(attempt_result& result);

private:
  enum class phase { head, body, finished };

  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  std::size_t feed_chunks(std::string_view bytes);
  void end_head();
  void begin_body();
  void keep(std::string_view content);
  void finish(bool reusable, attempt_error note = attempt_error::none);

  const response_limits& limits_;
  response_head head_;
  response_framing framing_;
  chunked_body chunks_;
  std::string excerpt_;
  std::size_t body_taken_ = 0;
  phase phase_ = phase::head;
  attempt_error note_ = attempt_error::none;
  int interim_ = 0;
  bool started_ = false;
  bool body_ended_ = true;
  bool cut_ = false; ///< content was left out of the excerpt
  bool reusable_ = false;
};

} // namespace postrider::net::client
