#pragma once

#include "config/config.hpp"

#include <string>
#include <vector>

namespace postrider::config {

/// A key whose value differs between two configurations.
struct change {
  std::string key;
  std::string before; ///< as TOML; of a secret only that there is one
  std::string after;
  bool on_reload = false; ///< else it needs a restart
};

std::vector<change> difference(const config& before, const config& after);

/// `wanted` as far as a reload can bring it: what needs a restart stays as it
/// is in `running`.
config after_reload(const config& running, const config& wanted);

} // namespace postrider::config
