#pragma once

#include "app/receiver.hpp"

#include <string>

namespace postrider::app {

/// A line about what arrived, harmless for a terminal, with its `headers` or
/// its `body` below; or all of it as one line of `json`.
std::string arrival_text(const arrival& here, const std::string& print);

} // namespace postrider::app
