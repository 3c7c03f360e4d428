#pragma once

#include "net/client/exchange.hpp"
#include "net/client/response_reader.hpp"
#include "net/client/transport.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace postrider::net::client {

/// What makes two requests share connections.
struct origin {
  bool tls = false;
  std::string host;
  std::uint16_t port = 0;
};

class pool;

/// One connection with at most one request on it. It is told of its socket
/// (`readiness`), also when idle: whatever comes unasked ends it. Lives on the
/// loop's thread.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// `scratch` is the loop's buffer for reading, used within one call only.
  connection(pool& owner, http_client_settings settings,
             std::span<char> scratch, origin where, transport link);

  void start(exchange_ptr work);
  /// The peer has neither sent nor ended anything since the last response, as
  /// far as it was told of. TLS may hold back what was read already.
  bool still_quiet() { return !link_.secured() || nothing_to_read(); }
  /// Something came, there is room to write, or the peer has ended.
  void ready(bool ended);
  /// The socket, for whoever tells of it from now on.
  int take_over() { return link_.take_over(); }
  bool idle() const { return work_ == nullptr; }
  steady::time_point idle_since() const { return idle_since_; }
  steady::time_point born() const { return born_; }
  const origin& where() const { return where_; }
  /// Those under which it was opened.
  const http_client_settings& settings() const { return settings_; }
  /// Ends the request if its time is over.
  void tick(steady::time_point now);
  /// Ends the request by the status it has or as cancelled, and closes.
  void cancel();
  void close();

  std::size_t slot = 0;               ///< in the pool's table
  std::optional<std::uint32_t> place; ///< where it is told of its socket

private:
  bool nothing_to_read();
  void give_up_soon();
  void push();
  void pull();
  void take(std::string_view bytes);
  void broken(transport::state how);
  void complete();
  void give_up(attempt_error error);
  bool written() const { return head_left_.empty() && body_left_.empty(); }

  pool& owner_;
  http_client_settings settings_;
  std::span<char> scratch_;
  origin where_;
  transport link_;
  steady::time_point born_ = steady::now();
  steady::time_point idle_since_ = born_;
  steady::time_point body_deadline_ = steady::time_point::max();
  exchange_ptr work_;
  std::string head_;
  std::string_view head_left_;
  std::string_view body_left_;
  std::optional<response_reader> reader_;
  bool reused_ = false;
  bool write_broken_ = false;
  bool ended_ = false; ///< the peer sends no more
  bool closed_ = false;
};
using connection_ptr = std::shared_ptr<connection>;

} // namespace postrider::net::client
