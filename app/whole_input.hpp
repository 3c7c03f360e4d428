#pragma once

#include <string>

namespace postrider::app {

/// The bytes of a file, or of standard input for `-`; `failure` (wrong usage)
/// names `option`.
std::string whole_input(const std::string& option, const std::string& file);

} // namespace postrider::app
