#pragma once

#include "app/api/object_reader.hpp"

#include <optional>
#include <string>

namespace postrider::api {

/// Reads the member `retry`: a policy's name or text, an array of waits, or an
/// object `{"waits": […], "max_attempts": 7, "jitter": "20%", "max_age":
/// "24h"}`. Gives the text that says the same.
std::optional<std::string> read_retry(object_reader& body, faults& found);

} // namespace postrider::api
