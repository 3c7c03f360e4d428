#pragma once

#include "app/client/client_options.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace postrider::app {

/// Lets a destructive command go on, or throws `failure` (refused, nothing
/// done). `what` says what is about to happen, the count included. On a
/// terminal it asks, unless `--yes`; elsewhere `--yes` is needed, and for more
/// than one `--expect` with the count. An `--expect` that differs is refused
/// anywhere.
void confirm(const client_options& options, const std::string& what,
             std::int64_t count, std::optional<std::int64_t> expected);

} // namespace postrider::app
