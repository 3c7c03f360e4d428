#include "net/client/transport.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace postrider::net::client {

namespace {

bool try_again(int code) {
  return code == EAGAIN || code == EWOULDBLOCK;
}

// The buffer of sendmsg is not const, but only read.
iovec slice(std::string_view text) {
  return {const_cast<char*>(text.data()), text.size()};
}

} // namespace

transport::~transport() {
  close();
}

transport::outcome transport::of_tls(int result) {
  if (result > 0)
    return {state::done, static_cast<std::size_t>(result)};
  switch (SSL_get_error(tls_.get(), result)) {
  case SSL_ERROR_WANT_READ:
    return {state::want_read};
  case SSL_ERROR_WANT_WRITE:
    return {state::want_write};
  case SSL_ERROR_ZERO_RETURN:
    return {state::end};
  default:
    return {state::failed};
  }
}

transport::state transport::handshake() {
  // SSL_get_error looks at the thread's queue: leftovers would mislead it.
  ERR_clear_error();
  return of_tls(SSL_do_handshake(tls_.get())).what;
}

transport::outcome transport::read(char* into, std::size_t room) {
  if (tls_) {
    ERR_clear_error();
    const auto most = std::min<std::size_t>(room, 1 << 20);
    return of_tls(SSL_read(tls_.get(), into, static_cast<int>(most)));
  }
  for (;;) {
    const auto got = recv(handle_, into, room, 0);
    if (got > 0)
      return {state::done, static_cast<std::size_t>(got)};
    if (got == 0)
      return {state::end};
    if (errno != EINTR)
      return {try_again(errno) ? state::want_read : state::failed};
  }
}

transport::outcome transport::write(std::string_view head,
                                    std::string_view body) {
  if (tls_) {
    ERR_clear_error();
    const auto next = head.empty() ? body : head;
    const auto most = std::min<std::size_t>(next.size(), 1 << 20);
    return of_tls(SSL_write(tls_.get(), next.data(), static_cast<int>(most)));
  }
  iovec slices[]{slice(head), slice(body)};
  msghdr message{};
  message.msg_iov = slices;
  message.msg_iovlen = 2;
  for (;;) {
    const auto sent = sendmsg(handle_, &message, MSG_NOSIGNAL);
    if (sent >= 0)
      return {state::done, static_cast<std::size_t>(sent)};
    if (errno != EINTR)
      return {try_again(errno) ? state::want_write : state::failed};
  }
}

int transport::take_over() {
  boost::system::error_code ignored;
  if (socket_.is_open())
    handle_ = socket_.release(ignored);
  return handle_;
}

void transport::close() {
  if (handle_ < 0)
    return;
  if (tls_ && SSL_is_init_finished(tls_.get())) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());
  }
  tls_.reset();
  boost::system::error_code ignored;
  if (socket_.is_open())
    socket_.close(ignored);
  else
    ::close(handle_);
  handle_ = -1;
}

} // namespace postrider::net::client
