#pragma once

#include "app/commands/command.hpp"

namespace postrider::app {

/// `endpoints create` and `endpoints update`.
void add_endpoint_changes(CLI::App& endpoints, action& chosen);

} // namespace postrider::app
