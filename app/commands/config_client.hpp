#pragma once

#include "app/commands/command.hpp"

namespace postrider::app {

/// The verbs of `config` that talk to a node.
void add_config_client(CLI::App& config, action& chosen);

} // namespace postrider::app
