#pragma once

#include <chrono>
#include <thread>

namespace postrider::testing {

/// Asks until `holds` answers true, up to `limit`; whether it did. For what
/// happens in another process or thread and can't tell us.
template <class Question>
bool eventually(Question holds,
                std::chrono::milliseconds limit = std::chrono::seconds{20}) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

} // namespace postrider::testing
