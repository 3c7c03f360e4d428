#pragma once

#include <string>
#include <vector>

namespace postrider::app {

enum class verdict { ok, warn, fail };

/// One thing that was looked at.
struct check_result {
  std::string name;
  verdict what = verdict::ok;
  std::string found;
  std::string hint = {}; ///< what to do; empty when there is nothing
};

using check_results = std::vector<check_result>;

} // namespace postrider::app
