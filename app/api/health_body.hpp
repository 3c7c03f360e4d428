#pragma once

#include "app/api/call.hpp"
#include "app/api/query.hpp"
#include "store/health_view.hpp"

#include <optional>
#include <string>
#include <variant>

namespace postrider::api {

/// The `reason` of what an operator does: at most 500 characters, none of them
/// a control character; the body may be absent as a whole.
std::variant<std::string, problem> read_reason(const call& request);

/// The parameter `health` of a list, where it is given.
std::variant<std::optional<store::health_filter>, problem>
read_health_filter(const query_values& query);

} // namespace postrider::api
