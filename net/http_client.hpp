#pragma once

#include "core/address.hpp"
#include "core/attempt.hpp"
#include "core/header_lines.hpp"
#include "core/model.hpp"
#include "core/url.hpp"
#include "net/client_meters.hpp"
#include "net/name_server.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::net {

namespace client {
struct settings;
} // namespace client

struct http_client_options {
  address_guard guard;
  /// Asked for names instead of the system's name servers.
  std::optional<name_server> names;
  /// PEM bundle to trust; the system's store when empty.
  std::string ca_file;
  /// An idle connection is closed after this long.
  std::chrono::milliseconds idle_timeout{30'000};
  /// A connection is never reused past this age, so that a name that moved
  /// is looked up (and guarded) again.
  std::chrono::milliseconds max_connection_age{300'000};
  /// Beyond these, one that was idle for a second is closed.
  std::size_t max_idle_per_origin = 32;
  /// Kept of the response body.
  std::size_t excerpt_limit = 4 * 1024;
  /// Read of the response body before the connection is closed instead.
  std::size_t body_limit = 64 * 1024;
  std::size_t header_limit = 64 * 1024;
  /// Open or being opened, all origins together. Further requests wait for one
  /// within their own timeout.
  std::size_t max_connections = 4096;
};

/// Options with the trust store made of them.
using http_client_settings = std::shared_ptr<const client::settings>;
/// Throws `std::runtime_error` when the CA file can't be used.
http_client_settings make_settings(http_client_options options);

/// One request. `headers` is complete but for `Host` and `Content-Length`.
struct http_request {
  url target;
  header_lines headers;
  bytes_ptr body;
  /// For lookup, connect and TLS handshake together.
  std::chrono::milliseconds connect_timeout{3'000};
  /// From `send` to the end of the response body.
  std::chrono::milliseconds timeout{15'000};
  std::string_view method = "POST"; ///< a literal
  /// In nanoseconds of the steady clock. Looked at right before the first byte
  /// is sent; past it nothing is, and the result is `cancelled`.
  std::shared_ptr<const std::atomic<std::int64_t>> begin_before = {};
};

struct http_client_gauges {
  std::size_t active = 0;
  std::size_t idle = 0;
};

/// An I/O loop on a thread of its own, with keep-alive connections per origin.
///
/// Every address is looked up, judged by the guard and then dialled as judged,
/// on each new connection. No redirect is followed, nothing is decompressed,
/// nothing is tried twice, but for one case: a reused connection that ends
/// before the first byte of a response gets one fresh connection (and no
/// further one), uncounted. A connection with unread, surplus or malformed
/// bytes is never used again. As soon as a complete status line was read it is
/// the result's status, whatever happens afterwards; a 2xx body that does not
/// end is cut off within a short grace and the connection closed.
class http_client {
public:
  /// Throws `std::runtime_error` when the CA file can't be used.
  explicit http_client(http_client_options options);
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  using callback = std::function<void(attempt_result)>;

  /// Starts a request; callable from any thread. `done` is called exactly
  /// once, on the loop's thread, and must not block or throw. After `stop` it
  /// is called with `cancelled`, within `send`.
  void send(http_request request, callback done);

  /// The same for many, with one wake-up of the loop.
  void send(std::vector<std::pair<http_request, callback>> requests);

  /// From now on requests are sent under these settings. What is under way
  /// ends under those before, and a connection that was opened under them is
  /// not used again. Callable from any thread.
  void apply(http_client_settings settings);

  /// The caller is on the loop's thread.
  bool on_loop() const;
  /// Runs `job` when what is ready now has run. Only on the loop's thread;
  /// what was handed over before the end of `stop` still runs.
  void later(std::function<void()> job);

  /// Ends every request as `cancelled` (or by the status it already has),
  /// closes the connections and joins the thread. Idempotent; not to be called
  /// from a callback.
  void stop();

  http_client_gauges gauges() const;
  const http_client_meters& meters() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::net
