#pragma once

#include "app/api/call.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace postrider::api {

/// The ETag of a version.
std::string etag_of(std::int64_t version);

/// What `If-Match` asks for: a version, or anything. A problem (412) when it
/// is no tag of ours, which therefore can't match.
std::variant<std::optional<std::int64_t>, problem>
read_if_match(const call& request);

/// 412.
problem precondition_failed();

} // namespace postrider::api
