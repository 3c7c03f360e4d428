#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::api {

/// What is wrong with one member of a body.
struct fault {
  std::string pointer; ///< JSON Pointer (RFC 6901)
  std::string_view code;
  std::string detail;
};

/// Collects everything that is wrong with a body; lists a bounded part of it.
class faults {
public:
  void add(std::string pointer, std::string_view code, std::string detail);

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  const std::vector<fault>& listed() const { return listed_; }
  bool full() const;
  /// A member was given twice: two readers could see two bodies (JSON-08).
  bool ambiguous() const { return ambiguous_; }
  void add_duplicate(std::string pointer);
  /// The payload is above its limit.
  bool oversized() const { return oversized_; }
  void add_oversized(std::string pointer, std::size_t limit);

private:
  std::vector<fault> listed_;
  std::size_t count_ = 0;
  bool ambiguous_ = false;
  bool oversized_ = false;
};

/// `at` and one more token, escaped.
std::string pointer_to(std::string_view at, std::string_view token);

} // namespace postrider::api
