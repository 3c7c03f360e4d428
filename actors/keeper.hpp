#pragma once

#include "store/error.hpp"

#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/sec.hpp>

#include <string>

namespace postrider::actors {

/// What a store actor answers instead of an exception: one code for each thing
/// that may be done about it.
inline caf::error to_message(const store::error& fault) {
  using kind = store::error::kind;
  auto code = caf::sec::runtime_error; // try again
  if (fault.what_kind() == kind::broken)
    code = caf::sec::invalid_argument;
  else if (fault.what_kind() != kind::transient)
    code = caf::sec::bad_function_call; // hopeless as it stands
  return caf::make_error(code, std::string{fault.what()});
}

/// The statement can't succeed, whatever is tried.
inline bool is_hopeless(const caf::error& fault) {
  return fault == caf::sec::bad_function_call;
}

/// The database is not what this binary needs.
inline bool is_broken(const caf::error& fault) {
  return fault == caf::sec::invalid_argument;
}

/// The text of an error that crossed between actors.
std::string text_of(const caf::error& fault);

} // namespace postrider::actors
