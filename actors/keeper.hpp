#pragma once

#include "actors/log.hpp"
#include "store/error.hpp"

#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace postrider::actors {

/// What a store actor answers instead of an exception. `bad_function_call`
/// stands for "our statement can't succeed, whatever is tried".
inline caf::error to_message(const store::error& fault) {
  const bool hopeless = fault.what_kind() == store::error::kind::defect
                        || fault.what_kind() == store::error::kind::conflict;
  return caf::make_error(hopeless ? caf::sec::bad_function_call
                                  : caf::sec::runtime_error,
                         std::string{fault.what()});
}

inline bool is_hopeless(const caf::error& fault) {
  return fault == caf::sec::bad_function_call;
}

/// The text of an error that crossed between actors.
std::string text_of(const caf::error& fault);

/// Calls into the store: the one place where its exceptions become replies.
template <class T, class Call>
caf::result<T> guarded(const log_sink& log, std::string_view who, Call call) {
  try {
    return call();
  } catch (const store::error& fault) {
    return to_message(fault);
  } catch (const std::exception& fault) {
    log(level::error, who, fault.what());
    return caf::make_error(caf::sec::bad_function_call,
                           std::string{fault.what()});
  }
}

} // namespace postrider::actors
