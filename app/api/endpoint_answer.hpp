#pragma once

#include "app/api/call.hpp"
#include "store/catalog.hpp"

#include <string_view>

namespace postrider::api {

/// 404.
problem no_endpoint();

/// One endpoint with its ETag, and its place when it is new. `secret` is shown
/// where it is given.
void answer_endpoint(call& to, int status, const store::endpoint_row& row,
                     std::string_view secret = {});

} // namespace postrider::api
