#pragma once

#include <cstddef>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace postrider::testing {

/// One accepted connection, plain or TLS, with blocking calls. Owned by its
/// thread; `interrupt` may come from another.
class receiver_socket {
public:
  explicit receiver_socket(int fd);
  ~receiver_socket();
  receiver_socket(const receiver_socket&) = delete;
  receiver_socket& operator=(const receiver_socket&) = delete;

  bool accept_tls(ssl_ctx_st* context);
  /// The name that the peer asked for by TLS; empty for none.
  std::string server_name() const;
  /// Appends what arrives; false at the end of the stream or a fault.
  bool read_some(std::string& into);
  bool write_all(std::string_view bytes);
  void reset();     ///< closes with a RST
  void close();     ///< closes in order
  void interrupt(); ///< wakes a blocked call; the descriptor stays open

private:
  int fd_;
  ssl_st* tls_ = nullptr;
};

/// A listening socket; throws when it can't be made.
int listen_on(const std::string& address, std::uint16_t port, int backlog);
std::uint16_t port_of(int fd);

} // namespace postrider::testing
