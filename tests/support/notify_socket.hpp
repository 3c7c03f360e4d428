#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace postrider::testing {

/// The service manager's side of sd_notify(3): while it lives NOTIFY_SOCKET
/// names it.
class notify_socket {
public:
  /// `name` starts with `/`, or with `@` for the abstract namespace.
  notify_socket(const std::string& name, std::chrono::microseconds watchdog)
      : name_{name}, socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::memcpy(where.sun_path, name.data(), name.size());
    if (name.front() == '@')
      where.sun_path[0] = '\0';
    const auto length =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&where), length) != 0)
      throw std::runtime_error{"no notify socket"};
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    ::setenv("WATCHDOG_USEC", std::to_string(watchdog.count()).c_str(), 1);
  }

  ~notify_socket() {
    ::close(socket_);
    if (name_.front() == '/')
      ::unlink(name_.c_str());
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
  }
  notify_socket(const notify_socket&) = delete;
  notify_socket& operator=(const notify_socket&) = delete;

  /// The next message; empty when none comes in time.
  std::string next(std::chrono::milliseconds limit = std::chrono::seconds{20}) {
    pollfd wanted{socket_, POLLIN, 0};
    if (::poll(&wanted, 1, static_cast<int>(limit.count())) <= 0)
      return {};
    char buffer[1024];
    const auto got = ::recv(socket_, buffer, sizeof buffer, 0);
    return {buffer, got > 0 ? static_cast<std::size_t>(got) : 0};
  }

  /// Waits for a message that begins so; false when time is up.
  bool hears(const std::string& what,
             std::chrono::milliseconds limit = std::chrono::seconds{20}) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      if (left.count() <= 0)
        return false;
      if (next(left).starts_with(what))
        return true;
    }
  }

  /// Forgets what has come so far.
  void drain() {
    while (!next(std::chrono::milliseconds{0}).empty()) {
    }
  }

private:
  std::string name_;
  int socket_;
};

} // namespace postrider::testing
