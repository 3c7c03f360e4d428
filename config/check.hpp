#pragma once

#include "config/config.hpp"

#include <string>
#include <utility>
#include <vector>

namespace postrider::config {

/// What can't stand together although each value alone may: the key to mend,
/// and what is wrong.
std::vector<std::pair<std::string, std::string>> check(const config& whole);

} // namespace postrider::config
