#pragma once

#include <string>

namespace postrider::app {

struct machine_facts {
  unsigned cores = 0;
  std::string model;
  std::string kernel;
};

machine_facts read_machine();

/// Seconds that all cores together have worked since the machine started, the
/// time that a host took away from them included.
double machine_busy();

} // namespace postrider::app
