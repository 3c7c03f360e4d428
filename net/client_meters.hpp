#pragma once

#include "core/metering.hpp"
#include "net/loop_meters.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace postrider::net {

/// Why the guard refused, for those who count: the words that it uses.
inline constexpr std::array<std::string_view, 7> guard_words{
    "private",  "loopback", "link_local", "metadata",
    "reserved", "denied",   "port"};

/// What one loop of the HTTP client records, on its own thread but for the
/// lookups; read from any thread.
struct alignas(64) http_client_meters {
  count opened; ///< connections
  count reused; ///< requests on a connection that was there
  count fresh;  ///< requests on one that was made for them
  request_times connect;
  request_times tls;
  request_times dns; ///< as a request waits for it
  request_times first_byte;
  std::array<count, guard_words.size()> blocked;
  loop_meters loop;

  alignas(64) count lookups;
  count failed_lookups;
  request_times lookup; ///< as the resolver takes for it

  void refused(std::string_view word) noexcept {
    for (std::size_t i = 0; i < guard_words.size(); ++i)
      if (guard_words[i] == word)
        blocked[i].add();
  }
};

} // namespace postrider::net
