#pragma once

#include <string>

namespace postrider::config {

/// The page about the configuration, in Markdown. `docs/configuration.md` is
/// this text.
std::string documentation();

} // namespace postrider::config
