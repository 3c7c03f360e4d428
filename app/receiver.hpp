#pragma once

#include "app/delay_line.hpp"
#include "core/signature.hpp"
#include "net/http_server.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>

namespace postrider::app {

/// How the receiver treats what comes to a path.
struct receiver_rules {
  /// Signatures are checked with it; not at all when absent.
  std::optional<signing_key> key = {};
  int status = 200;
  /// The share of requests that is answered with `fail_status` instead, of
  /// those whose attempt number is below `fail_below`.
  double fail_rate = 0;
  int fail_status = 503;
  int fail_below = std::numeric_limits<int>::max();
  std::chrono::milliseconds latency{0};
  /// The share of requests whose connection is closed without an answer.
  double drop_rate = 0;
  /// Where requests go that are not failed on purpose; what it calls back with
  /// is answered, on any thread. The request lives until then.
  std::function<void(const net::server_request&, std::function<void(int)>)>
      forward = {};
};

enum class signature_check { good, bad, unchecked };

/// A webhook as it arrived, and what it was answered.
struct arrival {
  const net::server_request* request = nullptr; ///< during the call only
  std::string path;
  std::string id;    ///< `webhook-id`
  std::string event; ///< the prefix and `Event-Id`
  std::int64_t sequence = -1;
  int attempt = -1;
  signature_check signature = signature_check::unchecked;
  int status = 0; ///< 0: the connection was closed instead
};

/// The bundled webhook receiver: checks Standard Webhooks signatures, answers
/// by rule, and fails on purpose where it is told to.
class receiver {
public:
  /// Called on the server's thread, or where `forward` calls back.
  using observer = std::function<void(const arrival&)>;

  /// Binds the address; throws `std::runtime_error` when it can't.
  receiver(const std::string& address, std::uint16_t port, observer seen,
           std::string header_prefix = "X-Postrider-");
  ~receiver();
  receiver(const receiver&) = delete;
  receiver& operator=(const receiver&) = delete;

  /// For requests to `path`; of an empty path for all others. Any thread.
  void serve(const std::string& path, receiver_rules rules);
  void start();
  void stop();

  std::uint16_t port() const;
  std::string url(const std::string& path) const;

private:
  void handle(const net::server_request& request,
              const net::http_server::respond& respond);
  void finish(const arrival& here, const receiver_rules& rules,
              const net::http_server::respond& respond);
  receiver_rules rules_for(const std::string& path);
  bool unlucky(double rate);

  std::string address_;
  std::string prefix_;
  observer seen_;
  std::mutex mutex_; ///< guards the rules and the dice
  std::map<std::string, receiver_rules> rules_;
  std::mt19937_64 dice_{std::random_device{}()};
  net::http_server server_;
  delay_line delays_; ///< ends before the server that its answers go to
};

} // namespace postrider::app
