#pragma once

#include "app/client/api_session.hpp"
#include "app/client/client_options.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace postrider::app {

struct send_options : client_options {
  std::string type;
  std::string tenant;
  std::string data = "{}";
  std::string content_type;
  std::string id;
  std::string ordering_key;
  std::string lines; ///< a file of events, one a line
  std::uint64_t skip = 0;
  std::uint64_t repeat = 1;
  double rate = 0; ///< a second; 0: as fast as they are taken
  bool wait = false;
  std::chrono::milliseconds wait_limit{60'000};
};

/// The event that the options describe, as the API takes it.
std::string event_of(const send_options& options);

/// Sends the lines of a file in batches, in their order; returns the exit
/// code.
int send_lines(const send_options& options);

/// Sends the same event again and again, at a rate; returns the exit code.
int send_repeatedly(const send_options& options);

/// Waits until every delivery of an event has ended and prints the attempts;
/// returns the exit code.
int wait_for_deliveries(api_session& api, const send_options& options,
                        const std::string& event);

} // namespace postrider::app
