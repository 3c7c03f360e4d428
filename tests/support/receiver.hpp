#pragma once

#include "core/header.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::testing {

/// A request as it arrived.
struct arrival {
  std::string target;
  std::vector<header> headers;
  std::string body;
  std::chrono::steady_clock::time_point at;
  int connection = 0;      ///< number of the connection, from 0
  std::string server_name; ///< what the TLS handshake asked for

  std::string find(std::string_view name) const; ///< empty if absent
};

/// One step of a scripted answer, written to the raw socket.
struct step {
  enum class kind {
    write,   ///< `bytes`
    pause,   ///< `wait`, cut short when the receiver stops
    reset,   ///< SO_LINGER 0 and close
    close,   ///< orderly close
    endless, ///< write `bytes` again and again until the peer goes away
    keep,    ///< leave the connection open and read the next request
  } what = kind::keep;
  std::string bytes;
  std::chrono::milliseconds wait{0};
};
using script = std::vector<step>;

/// `HTTP/1.1 <status>` with a Content-Length and the connection kept.
script answer(int status, std::string body = "",
              std::vector<header> headers = {});

/// A real HTTP receiver on 127.0.0.1, port 0, plain or TLS, that records what
/// arrives and answers by script. Built on bare sockets, so that it can say
/// what no HTTP library would.
class receiver {
public:
  struct options {
    bool tls = false;
    std::string certificate; ///< PEM file
    std::string key;         ///< PEM file
    bool only_tls_1_0 = false;
    std::string address = "127.0.0.1";
    std::uint16_t port = 0; ///< 0: any free port
    /// Every connection is reset as soon as it is accepted.
    bool reset_at_accept = false;
    /// The answer is given as soon as the head of a request is there; its body
    /// stays unread and the arrival's is empty.
    bool answer_after_head = false;
    /// Told of each step that was carried out, on a thread of the receiver.
    std::function<void(const arrival&, const step&)> performed = {};
  };
  /// Called once for each request on a thread of the receiver.
  using behaviour = std::function<script(const arrival&)>;

  explicit receiver(behaviour how);
  receiver(behaviour how, options what);
  ~receiver();

  std::uint16_t port() const;
  std::string url(std::string_view path = "/") const;

  std::vector<arrival> arrivals() const;
  /// Waits until at least `count` requests have arrived, up to `limit`.
  bool wait_for(std::size_t count,
                std::chrono::milliseconds limit = std::chrono::seconds{
                    20}) const;
  /// Connections accepted so far.
  int connections() const;
  void behave(behaviour how);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace postrider::testing
