#pragma once

#include "net/server/fault.hpp"

#include <optional>
#include <string_view>

namespace postrider::net::server {

/// Narrows method and target to what an origin server needs: Beast takes any
/// token and any byte above the space.
std::optional<framing_fault> judge_request_line(std::string_view method,
                                                std::string_view target);

} // namespace postrider::net::server
