#pragma once

#include "app/commands/tree.hpp"

#include <string>

namespace postrider::app {

/// A script for the shell that completes commands, options, and the values of
/// those options that have a fixed choice or name a file.
std::string bash_completion(const described_command& root);
std::string zsh_completion(const described_command& root);
std::string fish_completion(const described_command& root);

} // namespace postrider::app
