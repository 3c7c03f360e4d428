#pragma once

#include "tests/support/receiver.hpp"

#include <chrono>

namespace postrider::testing {

/// What a well receiver says, without a delay.
inline script at_once(const arrival&) {
  return answer(204);
}

/// The same after a while, so that something is always in flight.
template <int Milliseconds>
script after_a_moment(const arrival&) {
  auto out = answer(200);
  out.insert(out.begin(),
             {step::kind::pause, "", std::chrono::milliseconds{Milliseconds}});
  return out;
}

} // namespace postrider::testing
