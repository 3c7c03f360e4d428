#include "tests/support/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace postrider::testing {

std::string raw_answer::find(std::string_view name) const {
  for (const auto& field : headers)
    if (same_header_name(field.name, name))
      return field.value;
  return {};
}

raw_client::raw_client(std::uint16_t port, std::chrono::milliseconds limit)
    : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  timeval wait{limit.count() / 1000, limit.count() % 1000 * 1000};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr base{};
  static_assert(sizeof base == sizeof where);
  __builtin_memcpy(&base, &where, sizeof base);
  if (::connect(socket_, &base, sizeof base) != 0) {
    ::close(socket_); // no destructor runs
    throw std::runtime_error{"the server under test does not accept"};
  }
}

raw_client::~raw_client() {
  ::close(socket_);
}

bool raw_client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void raw_client::half_close() {
  ::shutdown(socket_, SHUT_WR);
}

bool raw_client::fill() {
  char buffer[16 * 1024];
  auto count = ::recv(socket_, buffer, sizeof buffer, 0);
  if (count <= 0)
    return false;
  in_.append(buffer, static_cast<std::size_t>(count));
  return true;
}

std::optional<raw_answer> raw_client::receive(bool to_head) {
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos)
    if (!fill())
      return {};
  raw_answer answer;
  answer.status = std::atoi(in_.substr(9, 3).c_str());
  auto line = in_.find("\r\n") + 2;
  while (line < end + 2) {
    auto stop = in_.find("\r\n", line);
    auto colon = in_.find(": ", line);
    answer.headers.push_back({in_.substr(line, colon - line),
                              in_.substr(colon + 2, stop - colon - 2)});
    line = stop + 2;
  }
  in_.erase(0, end + 4);
  auto length = answer.find("content-length");
  auto size = to_head || length.empty()
                  ? std::size_t{0}
                  : static_cast<std::size_t>(std::atoll(length.c_str()));
  while (in_.size() < size)
    if (!fill())
      return {};
  answer.body = in_.substr(0, size);
  in_.erase(0, size);
  return answer;
}

bool raw_client::closed() {
  if (!in_.empty())
    return false;
  char byte = 0;
  auto count = ::recv(socket_, &byte, 1, 0);
  return count == 0 || (count < 0 && errno == ECONNRESET);
}

std::optional<raw_answer> exchange(std::uint16_t port, std::string_view bytes) {
  raw_client client{port};
  client.send(bytes);
  return client.receive();
}

} // namespace postrider::testing
