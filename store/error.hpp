#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace postrider::store {

/// What went wrong, for those who count.
enum class error_class : std::uint8_t {
  connection,
  deadlock,
  serialization,
  timeout,
  constraint,
  other,
};
inline constexpr std::array<std::string_view, 6> error_class_names{
    "connection", "deadlock",   "serialization",
    "timeout",    "constraint", "other"};

/// The only exception that leaves this folder.
class error : public std::runtime_error {
public:
  enum class kind {
    transient, ///< connection lost, shutting down, deadlock, …: try again
    conflict,  ///< a constraint or a condition refused the write
    broken,    ///< the database is not what this binary needs (schema, rights)
    defect,    ///< our statement is wrong
  };

  error(kind what, const std::string& message,
        error_class why = error_class::other)
      : std::runtime_error{message}, kind_{what}, class_{why} {}

  kind what_kind() const noexcept { return kind_; }
  error_class what_class() const noexcept { return class_; }

private:
  kind kind_;
  error_class class_;
};

} // namespace postrider::store
