#pragma once

#include "net/client/connection.hpp"

#include <unordered_map>
#include <vector>

namespace postrider::net::client {

/// The connections that wait for a request, by origin. The one used last is
/// given out first, so that the surplus ages and is closed.
class idle_set {
public:
  void put(const connection_ptr& which);
  connection_ptr take(const url& where);
  /// Takes that very one out; nothing happens when it is not in.
  void remove(const connection& which);
  std::size_t size() const { return size_; }
  /// Those beyond `most` of an origin that nobody has asked for since.
  std::vector<connection_ptr> surplus(std::size_t most,
                                      steady::time_point since) const;
  /// Lets go of the origins without a connection.
  void sweep();

private:
  struct by_place {
    using is_transparent = void;
    std::size_t operator()(const origin& where) const;
    std::size_t operator()(const url& where) const;
    bool operator()(const origin& a, const origin& b) const;
    bool operator()(const url& a, const origin& b) const;
    bool operator()(const origin& a, const url& b) const {
      return (*this)(b, a);
    }
  };

  std::unordered_map<origin, std::vector<connection_ptr>, by_place, by_place>
      origins_;
  std::size_t size_ = 0;
};

} // namespace postrider::net::client
