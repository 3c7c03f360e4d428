#pragma once

#include "config/load.hpp"

#include <string>
#include <vector>

namespace postrider::config {

/// One key as it is in force.
struct shown {
  std::string section;
  std::string name;
  std::string value; ///< as TOML; a secret is `"…"`
  std::string where; ///< it was set: `default`, `file:line:column`, …
  bool on_reload = false;
};

/// Every key with its value and where it was set.
std::vector<shown> show_keys(const reading& from);

/// The same as a TOML file with a comment behind each line, and at its end
/// what one file took from another.
std::string show(const reading& from);

} // namespace postrider::config
