#pragma once

#include "tests/e2e/node_process.hpp"

#include <cstdint>
#include <memory>

namespace postrider::testing {

/// One address for several nodes, as a load balancer would have it: asks each
/// for `/readyz` twenty times a second and leads every connection to one that
/// is ready, in turn. It repeats nothing: what a node breaks off is broken off
/// for the caller too.
class front_door {
public:
  front_door();
  ~front_door();
  front_door(const front_door&) = delete;
  front_door& operator=(const front_door&) = delete;

  std::uint16_t port() const;
  /// A node that is led to from now on while it is ready; it may end.
  void add(const node_process& which);
  /// Waits until at least so many are ready.
  bool wait_for(int ready);

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace postrider::testing
