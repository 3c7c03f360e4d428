#pragma once

#include <functional>
#include <string>

namespace postrider::testing {

/// A machine of its own as far as the network goes: a namespace behind a pair
/// of virtual cards, whose cable can be cut so that packets vanish and nobody
/// is told. Needs root.
class network_island {
public:
  network_island();
  ~network_island();
  network_island(const network_island&) = delete;
  network_island& operator=(const network_island&) = delete;

  /// Why there can be none here; empty when there can.
  static std::string refusal();

  const std::string& address() const { return far_; } ///< of the island
  /// Runs something on it: what is started there stays there.
  void inside(const std::function<void()>& what);
  void cut();
  void heal();

private:
  std::string name_;
  std::string near_;
  std::string far_;
};

} // namespace postrider::testing
