#pragma once

#include "core/signature.hpp"

#include <string>

namespace postrider::app {

/// The signing key in a file; `failure` (wrong usage) when there is none.
signing_key read_signing_key(const std::string& option,
                             const std::string& file);

} // namespace postrider::app
