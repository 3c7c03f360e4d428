#pragma once

#include <string>

namespace postrider::app {

/// What `--since` and `--until` take: a time in RFC 3339, or how long ago
/// (`15m`), as the API takes it. Empty stays empty; `failure` (wrong usage)
/// names `option`.
std::string time_argument(const std::string& option, const std::string& text);

} // namespace postrider::app
