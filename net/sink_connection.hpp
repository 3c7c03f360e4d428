#pragma once

#include "net/sink.hpp"

#include <string>

namespace postrider::net {

/// One connection of a sink: bytes in, whole requests out.
class sink_connection {
public:
  /// Takes what stands in the socket's buffer, shows each whole request to
  /// `seen` and answers as told. False when the connection has to be closed.
  bool serve(int socket, const sink::observer& seen);
  /// Answers what was to be answered later.
  void release(int socket);

private:
  bool take_requests(const sink::observer& seen);

  std::string in_;
  std::size_t used_ = 0; ///< bytes of `in_` that were read from the socket
  std::string out_;
  std::size_t later_ = 0; ///< requests that wait for `release`
};

} // namespace postrider::net
