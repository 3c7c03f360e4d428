#pragma once

#include "app/commands/command.hpp"

namespace postrider::app {

/// `endpoints health`, `pause`, `resume`, `disable` and `enable`.
void add_endpoint_health(CLI::App& endpoints, action& chosen);

} // namespace postrider::app
