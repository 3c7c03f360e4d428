#pragma once

#include "core/header.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::net::client {

/// Reads the status line and the header fields of one response, in whatever
/// pieces they come. Strict: what RFC 9112 does not allow is `malformed`, but a
/// status once read stands.
class response_head {
public:
  enum class state { status_line, fields, done, malformed, too_large };

  /// `limit` bounds the bytes of the whole head.
  explicit response_head(std::size_t limit) : limit_{limit} {}

  /// Takes bytes; returns how many of them belong to this head.
  std::size_t feed(std::string_view bytes);

  state at() const { return state_; }
  bool over() const { return state_ > state::fields; }
  int status() const { return status_; } ///< 0 until the line is complete
  bool http_1_0() const { return minor_ == '0'; }
  /// A line ended in LF alone: two readers could disagree about such a stream.
  bool loose() const { return loose_; }
  std::vector<header>& fields() { return fields_; }
  const std::vector<header>& fields() const { return fields_; }

private:
  void take_line(std::string_view line);
  void take_status_line(std::string_view line);
  void take_field(std::string_view line);

  std::size_t limit_;
  std::size_t taken_ = 0;
  std::string partial_;
  std::vector<header> fields_;
  state state_ = state::status_line;
  int status_ = 0;
  char minor_ = '1';
  bool loose_ = false;
};

} // namespace postrider::net::client
