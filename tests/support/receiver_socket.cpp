#include "tests/support/receiver_socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace postrider::testing {

receiver_socket::receiver_socket(int fd) : fd_{fd} {
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

receiver_socket::~receiver_socket() {
  close();
}

bool receiver_socket::accept_tls(ssl_ctx_st* context) {
  tls_ = SSL_new(context);
  SSL_set_fd(tls_, fd_);
  return SSL_accept(tls_) == 1;
}

std::string receiver_socket::server_name() const {
  const char* name =
      tls_ ? SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name) : nullptr;
  return name ? name : "";
}

bool receiver_socket::read_some(std::string& into) {
  char buffer[16 * 1024];
  const auto got = tls_ ? SSL_read(tls_, buffer, sizeof buffer)
                        : recv(fd_, buffer, sizeof buffer, 0);
  if (got <= 0)
    return false;
  into.append(buffer, static_cast<std::size_t>(got));
  return true;
}

bool receiver_socket::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent =
        tls_ ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
             : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void receiver_socket::reset() {
  const linger now{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  SSL_free(tls_);
  tls_ = nullptr;
  ::close(fd_);
  fd_ = -1;
}

void receiver_socket::close() {
  if (fd_ < 0)
    return;
  if (tls_)
    SSL_shutdown(tls_);
  SSL_free(tls_);
  tls_ = nullptr;
  ::close(fd_);
  fd_ = -1;
}

void receiver_socket::interrupt() {
  if (fd_ >= 0)
    shutdown(fd_, SHUT_RDWR);
}

int listen_on(const std::string& address, std::uint16_t port, int backlog) {
  sockaddr_storage where{};
  socklen_t size = sizeof(sockaddr_in);
  auto* v4 = reinterpret_cast<sockaddr_in*>(&where);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&where);
  if (inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
    where.ss_family = AF_INET;
    v4->sin_port = htons(port);
  } else if (inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
    where.ss_family = AF_INET6;
    v6->sin6_port = htons(port);
    size = sizeof(sockaddr_in6);
  } else {
    throw std::runtime_error{"no address to listen on: " + address};
  }
  const int fd = socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&where), size) != 0
      || listen(fd, backlog) != 0) {
    const std::string why = std::strerror(errno);
    if (fd >= 0)
      ::close(fd);
    throw std::runtime_error{"can't listen on " + address + ": " + why};
  }
  return fd;
}

std::uint16_t port_of(int fd) {
  sockaddr_storage where{};
  socklen_t size = sizeof where;
  getsockname(fd, reinterpret_cast<sockaddr*>(&where), &size);
  return ntohs(where.ss_family == AF_INET
                   ? reinterpret_cast<sockaddr_in*>(&where)->sin_port
                   : reinterpret_cast<sockaddr_in6*>(&where)->sin6_port);
}

} // namespace postrider::testing
