#pragma once

// Places at which the fault tests hurt the engine. Only objects compiled with
// POSTRIDER_FAILPOINTS hold any, and only tests/faults compiles such objects;
// everywhere else each of these is nothing, and its arguments are not even
// looked at.

#ifdef POSTRIDER_FAILPOINTS

#include <string_view>

namespace postrider::failpoint {

/// Counts a hit and acts as POSTRIDER_FAILPOINTS in the environment says for
/// `name`: a crash does not return, a throw throws. True for `error` and
/// `drop`, which the caller acts out.
bool strikes(std::string_view name);

/// `text` with `from` exchanged for `to` everywhere; lives for ever.
const char* altered(std::string_view text, std::string_view from,
                    std::string_view to);

} // namespace postrider::failpoint

/// A place to crash, hang, sleep or throw.
#define POSTRIDER_FAILPOINT(name)                                              \
  static_cast<void>(::postrider::failpoint::strikes(name))
/// Whether to go wrong here.
#define POSTRIDER_FAILS(name) ::postrider::failpoint::strikes(name)
/// What going wrong here means.
#define POSTRIDER_IF_FAILS(name, ...)                                          \
  do {                                                                         \
    if (::postrider::failpoint::strikes(name)) {                               \
      __VA_ARGS__;                                                             \
    }                                                                          \
  } while (false)

#else

#define POSTRIDER_FAILPOINT(name) static_cast<void>(0)
#define POSTRIDER_FAILS(name) false
#define POSTRIDER_IF_FAILS(name, ...) static_cast<void>(0)

#endif
