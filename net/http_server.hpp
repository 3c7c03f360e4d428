#pragma once

#include "core/header.hpp"
#include "net/loop_meters.hpp"

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

struct server_request {
  std::string method; ///< upper case
  std::string target; ///< path and query as sent
  std::vector<header> headers;
  std::string body;
  std::string peer; ///< `address:port`

  std::optional<std::string_view> find(std::string_view name) const;
};

struct server_response {
  int status = 200;            ///< 0: no answer, the connection is closed
  std::vector<header> headers; ///< without Content-Length and Connection
  std::string body;
};

struct http_server_options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0; ///< 0: any free port
  std::size_t threads = 1;
  std::size_t body_limit = 1024 * 1024;
  std::size_t header_limit = 16 * 1024;
  std::size_t max_connections = 10'000;
  /// For the whole head of a request, from its first byte.
  std::chrono::milliseconds header_timeout{10'000};
  /// For the whole body.
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds idle_timeout{60'000};
  /// Makes the answer to a request that never reaches the handler (400, 408,
  /// 413, 431, 501, 505, …), so that the caller decides its form.
  std::function<server_response(int status, std::string_view detail)> refuse;
};

/// An HTTP/1.1 server on threads of its own.
///
/// Strict about framing: a request that two parsers could read differently is
/// refused with 400 and the connection is closed (RELIABILITY 6.2). Requests
/// of one connection are handled one after the other, in order.
class http_server {
public:
  using respond = std::function<void(server_response)>;
  /// Called on a server thread; must not block. `respond` may be called once,
  /// from any thread, at once or later.
  using handler = std::function<void(server_request, respond)>;

  /// Binds and listens; throws `std::runtime_error` that names the address
  /// when that fails. Serves from `start` on.
  http_server(http_server_options options, handler handle);
  ~http_server();
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  void start();
  /// The bound of a request's body from the next request on; from any thread.
  void limit_body(std::size_t bytes);
  /// The port that was bound.
  std::uint16_t port() const;
  /// Stops accepting, lets requests that are being handled answer until the
  /// grace ends, closes everything and joins. Idempotent.
  void stop(std::chrono::milliseconds grace = std::chrono::seconds{1});

  /// Open now; from any thread.
  std::size_t connections() const;
  /// One for each thread.
  std::vector<const loop_meters*> meters() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::net
