#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace postrider::app {

/// The names of the demonstration.
inline constexpr const char* demo_tenant = "demo";

/// An event of the generated traffic. Its payload carries what the receiver
/// needs to hold it against the ledger.
struct demo_event {
  std::string id;
  std::string type;
  std::string ordering_key;
  std::string payload;
};

/// The `number`-th event of a run, made now.
demo_event make_demo_event(const std::string& run, std::uint64_t number);

/// What the receiver reads back.
struct demo_mark {
  bool ours = false; ///< false: sent by somebody else
  std::string ordering_key;
  std::chrono::microseconds age{0};
};
demo_mark read_demo_mark(const std::string& run, const std::string& payload);

} // namespace postrider::app
