#pragma once

#include "net/client/tls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <string_view>
#include <utility>

namespace postrider::net::client {

using tcp_socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                     boost::asio::io_context::executor_type>;

/// A connected socket, plain or under TLS. Nothing here blocks; what can't go
/// on says what it waits for. The loop's thread has SIGPIPE blocked.
class transport {
public:
  enum class state {
    done,
    want_read,
    want_write,
    end,    ///< the peer closed in order
    failed, ///< reset, or a fault of TLS
  };
  struct outcome {
    state what = state::done;
    std::size_t bytes = 0;
  };

  /// The socket is in non-blocking mode.
  explicit transport(tcp_socket socket)
      : socket_{std::move(socket)}, handle_{socket_.native_handle()} {}
  transport(transport&& other) noexcept
      : socket_{std::move(other.socket_)},
        handle_{std::exchange(other.handle_, -1)},
        tls_{std::move(other.tls_)} {}
  ~transport();

  /// Puts TLS between; `handshake` has to be `done` before anything is sent.
  void secure(ssl_ptr tls) { tls_ = std::move(tls); }
  bool secured() const { return tls_ != nullptr; }
  state handshake();
  /// Why TLS `failed`, asked right after it did.
  tls_fault fault() const { return explain_tls(tls_.get()); }

  outcome read(char* into, std::size_t room);
  /// Sends some of `head` followed by `body`.
  outcome write(std::string_view head, std::string_view body);

  tcp_socket& socket() { return socket_; }
  /// Takes it from its loop's reactor: from now on whoever watches the handle
  /// tells when to go on. It still closes with this.
  int take_over();
  /// Ends TLS in order as far as that is possible at once, and closes.
  void close();

private:
  outcome of_tls(int result);

  tcp_socket socket_; ///< not open when it was taken over
  int handle_;        ///< -1: closed
  ssl_ptr tls_;
};

} // namespace postrider::net::client
