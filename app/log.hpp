#pragma once

#include "actors/log.hpp"

#include <string>

namespace postrider::app {

/// Writes the log to standard error, one JSON object a line: `ts`, `level`,
/// `node`, `component`, `msg`. Lines below `level` (debug | info | warn |
/// error) are dropped. Texts are escaped; nothing secret is passed in.
actors::log_sink make_log(const std::string& level, std::string node);

} // namespace postrider::app
