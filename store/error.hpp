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

/// What helps when the database has refused something.
enum class remedy : std::uint8_t {
  again,     ///< rolled back for another's sake: at once, on the connection
  later,     ///< nothing is wrong but the moment: after a pause
  reconnect, ///< this connection or this server is of no use: on a new one
  refuse,    ///< this write will never do, and it is the caller's to know
  give_up,   ///< a person has to see to it; tried on slowly meanwhile
};
inline constexpr std::array<std::string_view, 5> remedy_names{
    "again", "later", "reconnect", "refuse", "give up"};

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
      : error{what, message, why, usual(what)} {}
  error(kind what, const std::string& message, error_class why, remedy cure)
      : std::runtime_error{message}, kind_{what}, class_{why}, remedy_{cure} {}

  kind what_kind() const noexcept { return kind_; }
  error_class what_class() const noexcept { return class_; }
  remedy what_remedy() const noexcept { return remedy_; }

private:
  static remedy usual(kind what) noexcept {
    return what == kind::transient  ? remedy::reconnect
           : what == kind::conflict ? remedy::refuse
                                    : remedy::give_up;
  }

  kind kind_;
  error_class class_;
  remedy remedy_;
};

} // namespace postrider::store
