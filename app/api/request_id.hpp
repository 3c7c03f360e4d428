#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postrider::api {

/// `given` when it is 1 to 128 characters of `[A-Za-z0-9._-]`, else a new one.
std::string request_id_from(std::optional<std::string_view> given);

/// `req_` and 26 characters.
std::string make_request_id();

} // namespace postrider::api
