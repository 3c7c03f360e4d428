#pragma once

#include "actors/log.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace postrider::app {

/// `debug`, `info`, `warn`, `error`; anything else is `info`.
actors::level parse_level(std::string_view text);
std::string_view to_string(actors::level how);

/// One JSON object and a line feed: `ts`, `level`, `msg`, `node`, `component`,
/// and of `about` what is there: `event`, `delivery`, `endpoint`, `attempt`,
/// `error`, `duration_ms`. It is valid JSON on one line whatever the texts
/// hold: a byte that is no UTF-8 becomes U+FFFD. A long text is cut off.
std::string log_line(std::chrono::system_clock::time_point at,
                     actors::level how, std::string_view node,
                     std::string_view component, std::string_view text,
                     const actors::log_fields& about);

} // namespace postrider::app
