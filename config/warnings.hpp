#pragma once

#include "config/config.hpp"

#include <string>
#include <utility>
#include <vector>

namespace postrider::config {

/// What may stand but is probably not meant: the key, and what follows from
/// it.
std::vector<std::pair<std::string, std::string>> doubts(const config& whole);

} // namespace postrider::config
