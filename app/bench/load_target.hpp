#pragma once

#include <string>
#include <vector>

namespace postrider::app {

/// Where an event goes: each type leads to one endpoint.
struct load_target {
  std::string tenant;
  std::string type;
};

/// Event n goes to the target n modulo their number.
using load_targets = std::vector<load_target>;

} // namespace postrider::app
