#pragma once

#include <string_view>

namespace postrider::app {

/// Such as `0.1.0`.
std::string_view version();

} // namespace postrider::app
