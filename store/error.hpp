#pragma once

#include <stdexcept>
#include <string>

namespace postrider::store {

/// The only exception that leaves this folder.
class error : public std::runtime_error {
public:
  enum class kind {
    transient, ///< connection lost, shutting down, deadlock, …: try again
    conflict,  ///< a constraint or a condition refused the write
    broken,    ///< the database is not what this binary needs (schema, rights)
    defect,    ///< our statement is wrong
  };

  error(kind what, const std::string& message)
      : std::runtime_error{message}, kind_{what} {}

  kind what_kind() const noexcept { return kind_; }

private:
  kind kind_;
};

} // namespace postrider::store
