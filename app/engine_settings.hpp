#pragma once

#include "actors/engine.hpp"
#include "config/config.hpp"
#include "core/address.hpp"
#include "core/retention.hpp"

namespace postrider::app {

/// The guard that the configuration describes. Its networks were judged when
/// it was read.
address_guard make_guard(const config::guard_config& from);

retention_rules retention_of(const config::retention_config& from);

/// What the engine is to go by until the next reload.
actors::live_options live_options(const config::config& from);

/// How long something may stand still before the node gives its leases up.
std::chrono::milliseconds stalled_after(const config::delivery_config& from);

/// All of it.
actors::engine_options engine_options(const config::config& from,
                                      actors::log_sink log);

} // namespace postrider::app
