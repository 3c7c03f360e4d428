#pragma once

#include "app/commands/tree.hpp"

#include <string>
#include <string_view>

namespace postrider::app {

/// The manual page postrider(1), in the man macros.
std::string manual_page(const described_command& root,
                        std::string_view version);

} // namespace postrider::app
