#pragma once

#include "core/address.hpp"
#include "core/attempt.hpp"
#include "net/client/resolver.hpp"
#include "net/client/transport.hpp"
#include "net/client_meters.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace postrider::net::client {

using steady = std::chrono::steady_clock;

/// What every dial of a client uses.
struct dial_tools {
  boost::asio::io_context& io;
  resolver& names;
  http_client_settings settings;
  http_client_meters& meters;
};

struct dial_result {
  std::optional<transport> link; ///< connected, TLS done; absent on failure
  attempt_error error = attempt_error::none;
  std::string detail; ///< for people; shows no inner address
  std::chrono::milliseconds dns{0};
  std::chrono::milliseconds connect{0};
  std::chrono::milliseconds tls{0};
};

/// Makes one connection: looks the name up, lets the guard judge every address,
/// dials the judged ones in turn (the next one after 250 ms or a failure) and
/// does the TLS handshake. Lives on the loop's thread.
class dial : public std::enable_shared_from_this<dial> {
public:
  using callback = std::function<void(dial_result)>;

  /// `done` is called once, never from within `start`, unless `cancel` was
  /// called before.
  dial(dial_tools tools, url where, steady::time_point deadline, callback done);

  void start();
  /// Called every few dozen milliseconds: deadline and next address.
  void tick(steady::time_point now);
  void cancel();
  /// What it goes by from its first to its last step.
  const http_client_settings& settings() const { return tools_.settings; }

private:
  enum class phase { resolving, connecting, handshaking, over };

  void resolved(const lookup_result& found);
  void refused(std::string_view word);
  void judge(const std::vector<ip_address>& found);
  void connect_next();
  void connected(std::size_t index, boost::system::error_code fault);
  void candidate_failed(attempt_error error, std::string detail);
  void begin_tls();
  void shake();
  void wait_for(tcp_socket::wait_type what);
  void fail(attempt_error error, std::string detail);
  void finish();
  std::chrono::milliseconds lap(request_times& meter);

  dial_tools tools_;
  url where_;
  steady::time_point deadline_;
  callback done_;
  phase phase_ = phase::resolving;
  steady::time_point lap_from_;
  steady::time_point next_at_;
  std::deque<ip_address> addresses_;
  std::vector<tcp_socket> candidates_;
  std::size_t connecting_ = 0;
  dial_result result_;
};

} // namespace postrider::net::client
