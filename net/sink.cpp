#include "net/sink.hpp"

#include "net/sink_connection.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace postrider::net {

namespace {

/// Closes itself.
class descriptor {
public:
  explicit descriptor(int number) : number_{number} {
    if (number < 0)
      throw std::runtime_error{std::string{"can't open a socket: "}
                               + std::strerror(errno)};
  }
  ~descriptor() { ::close(number_); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const noexcept { return number_; }

private:
  int number_;
};

} // namespace

class sink::impl {
public:
  impl(const std::string& address, observer seen)
      : seen_{std::move(seen)},
        listener_{
            ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)},
        events_{::epoll_create1(EPOLL_CLOEXEC)},
        wake_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    socklen_t size = sizeof where;
    auto* generic = reinterpret_cast<sockaddr*>(&where);
    if (::inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1
        || ::bind(listener_.get(), generic, size) != 0
        || ::listen(listener_.get(), 4096) != 0
        || ::getsockname(listener_.get(), generic, &size) != 0)
      throw std::runtime_error{"can't listen at " + address + ": "
                               + std::strerror(errno)};
    port_ = ntohs(where.sin_port);
    watch(listener_.get());
    watch(wake_.get());
    thread_ = std::thread{[this] { loop(); }};
  }

  ~impl() {
    stopping_ = true;
    wake();
    thread_.join();
    for (const auto& [socket, connection] : connections_)
      ::close(socket);
  }

  std::uint16_t port() const noexcept { return port_; }

  void release() {
    releasing_ = true;
    wake();
  }

private:
  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto ignored =
        ::write(wake_.get(), &one, sizeof one);
  }

  /// False when the loop has to end.
  bool obey() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto ignored =
        ::read(wake_.get(), &count, sizeof count);
    if (releasing_.exchange(false))
      for (auto& [socket, connection] : connections_)
        connection.release(socket);
    return !stopping_;
  }

  void watch(int number) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = number;
    ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, number, &wanted);
  }

  void loop() {
    std::array<epoll_event, 256> ready{};
    for (;;) {
      const int count = ::epoll_wait(events_.get(), ready.data(),
                                     static_cast<int>(ready.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int number = ready[static_cast<std::size_t>(i)].data.fd;
        if (number == listener_.get())
          accept_all();
        else if (number != wake_.get())
          serve(number);
        else if (!obey())
          return;
      }
    }
  }

  void accept_all() {
    for (;;) {
      const int socket = ::accept4(listener_.get(), nullptr, nullptr,
                                   SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0)
        return;
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      connections_.try_emplace(socket);
      watch(socket);
    }
  }

  void serve(int socket) {
    const auto found = connections_.find(socket);
    if (found == connections_.end() || found->second.serve(socket, seen_))
      return;
    connections_.erase(found);
    ::close(socket);
  }

  observer seen_;
  descriptor listener_;
  descriptor events_;
  descriptor wake_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> releasing_{false};
  std::uint16_t port_ = 0;
  std::unordered_map<int, sink_connection> connections_; ///< of the loop
  std::thread thread_;
};

sink::sink(const std::string& address, observer seen)
    : impl_{std::make_unique<impl>(address, std::move(seen))} {}

sink::~sink() = default;

std::uint16_t sink::port() const noexcept {
  return impl_->port();
}

void sink::release() {
  impl_->release();
}

} // namespace postrider::net
