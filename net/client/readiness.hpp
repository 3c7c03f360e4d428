#pragma once

#include "net/client/connection.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <vector>

namespace postrider::net::client {

/// Tells connections that bytes came, room came, or the peer has ended. A
/// socket is added once to a set of its own and stays in it: the reactor of
/// the loop would be asked anew for every wait, which costs a system call for
/// each request. What it tells are edges: a connection reads until nothing is
/// left. Lives on the loop's thread.
class readiness {
public:
  explicit readiness(boost::asio::io_context& io);

  /// Takes the socket from the loop's reactor. False when the kernel has no
  /// room for it.
  bool add(const connection_ptr& which);
  /// Before its socket is closed.
  void remove(const connection& which);
  /// Tells at once what there is to tell.
  void poll();
  /// Nothing is told any more; the loop may end.
  void stop();

private:
  void wait();

  /// A place in the table, and how often it was given away: what is told of
  /// one that has left meanwhile reaches nobody.
  struct place {
    std::weak_ptr<connection> of;
    std::uint32_t turn = 0;
  };

  boost::asio::posix::basic_stream_descriptor<
      boost::asio::io_context::executor_type>
      set_;
  std::vector<place> places_;
  std::vector<std::uint32_t> free_;
};

} // namespace postrider::net::client
