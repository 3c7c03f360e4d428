#pragma once

#include "app/api/call.hpp"

#include <optional>

namespace postrider::api {

/// Nothing when the request carries the key in the one place where it belongs;
/// else the 401 to answer. Takes the same time for every wrong key.
std::optional<problem> refuse_unauthenticated(const call& request);

} // namespace postrider::api
