#pragma once

#include "app/exit_code.hpp"

#include <stdexcept>
#include <string>

namespace postrider::app {

/// Ends a command: what went wrong, and the exit code that scripts see. The
/// text may have several lines and ends with the next step, where there is
/// one.
class failure : public std::runtime_error {
public:
  failure(exit_code code, const std::string& what)
      : std::runtime_error{what}, code_{code} {}

  exit_code code() const noexcept { return code_; }

private:
  exit_code code_;
};

} // namespace postrider::app
