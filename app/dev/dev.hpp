#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace postrider::app {

struct dev_options {
  double rate = 200; ///< events per second; 0: none are made
  /// Ends by itself after this long.
  std::optional<std::chrono::milliseconds> duration;
  std::string folder;     ///< empty: a temporary one, removed at the end
  std::uint16_t port = 0; ///< of the API; 0: any free one
  std::string log_level = "warn";
};

/// The whole of Postrider in one process, on a private PostgreSQL, with
/// endpoints, a receiver that checks everything, and traffic. Runs until
/// Ctrl-C or the end of `duration`, then waits until all is delivered and
/// reports. Returns 0, or `exit_not_met` when anything was lost, out of order
/// or badly signed.
int run_dev(const dev_options& options);

} // namespace postrider::app
