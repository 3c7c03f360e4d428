#pragma once

#include "core/header.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::testing {

/// An answer as it came over the socket.
struct raw_answer {
  int status = 0;
  std::vector<header> headers;
  std::string body;

  std::string find(std::string_view name) const; ///< empty if absent
};

/// A client on a bare socket to 127.0.0.1 that sends exactly what it is told.
/// Every call ends within `limit`.
class raw_client {
public:
  explicit raw_client(std::uint16_t port,
                      std::chrono::milliseconds limit = std::chrono::seconds{
                          10});
  ~raw_client();
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  /// False when the peer no longer takes bytes.
  bool send(std::string_view bytes);
  void half_close();

  /// The next answer; nothing when the connection ends or the limit passes.
  /// `to_head`: it answers HEAD, or is 1xx, and has no body.
  std::optional<raw_answer> receive(bool to_head = false);
  /// Waits until the peer closes; false when more bytes come or time is up.
  bool closed();

private:
  bool fill();

  int socket_ = -1;
  std::string in_;
};

/// One request on a connection of its own.
std::optional<raw_answer> exchange(std::uint16_t port, std::string_view bytes);

} // namespace postrider::testing
