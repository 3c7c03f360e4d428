#pragma once

#include "core/header.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider {

/// Why an attempt did not end in a status line, or what was wrong beside it.
/// A closed list: it stands in SQL, API, metrics and logs by these names.
enum class attempt_error : std::uint8_t {
  none,
  dns_failure,     ///< no such name, or it has no address
  dns_unavailable, ///< no name server answered
  address_blocked,
  connect_refused,
  connect_timeout,
  connect_failed,      ///< host unreachable, reset while connecting
  network_unreachable, ///< this node has no route at all
  tls_failure,
  tls_certificate,
  write_timeout,
  timeout_response,
  connection_reset, ///< closed or reset before a complete status line
  malformed_response,
  headers_too_large,
  cancelled,       ///< stopped by us before it began; counts as no attempt
  local_resources, ///< no descriptor or port left on this node; not theirs
  internal,
};

/// `dns_failure`, `timeout_response`, …; `none` is the empty text.
std::string_view to_string(attempt_error error);

struct attempt_timings {
  std::chrono::milliseconds dns{0};
  std::chrono::milliseconds connect{0};
  std::chrono::milliseconds tls{0};
  std::chrono::milliseconds first_byte{0};
  std::chrono::milliseconds total{0};
};

/// How one attempt ended, as far as this process can know. `status` is set as
/// soon as a complete status line was read, whatever came after (G6).
struct attempt_result {
  std::optional<int> status;
  attempt_error error = attempt_error::none;
  /// Of the response, bounded by the client's header limit.
  std::vector<header> headers;
  /// The first bytes of the response body (4 KiB by default).
  std::string body_excerpt;
  bool body_truncated = false;
  bool connection_reused = false;
  attempt_timings timings;
  /// More about `error`, in a line for people; shows no address and no secret.
  std::string detail;
};

/// Looks a response header up without regard to case; nothing if absent.
std::optional<std::string_view> find_header(const std::vector<header>& headers,
                                            std::string_view name);

} // namespace postrider
