#pragma once

#include "core/header.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace postrider {

/// The header fields of a request as they go over the wire, in one piece of
/// memory. No field can end its line or frame the request: who adds such a one
/// makes the whole unfit to be sent.
class header_lines {
public:
  header_lines() = default;
  header_lines(std::initializer_list<header> fields);

  /// A field, or none and `fault` from then on when the name is empty or holds
  /// a byte that ends it, when the value holds CR, LF or NUL, or when the name
  /// is one that the client writes by itself (`Host`, `Content-Length`,
  /// `Transfer-Encoding`, `Connection`, `Expect`, `Upgrade`).
  void add(std::string_view name, std::string_view value) {
    add(name, {}, value);
  }
  /// The name in two parts, put together.
  void add(std::string_view prefix, std::string_view rest,
           std::string_view value);
  void add(std::string_view prefix, std::string_view rest, std::int64_t value);

  /// `name: value` and CR LF for each, in the order they were added.
  std::string_view text() const noexcept { return text_; }
  /// Why this can't be sent; empty when it can. Shows no value.
  const std::string& fault() const noexcept { return fault_; }

  void reserve(std::size_t bytes) { text_.reserve(bytes); }

private:
  std::string text_;
  std::string fault_;
};

} // namespace postrider
