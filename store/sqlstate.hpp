#pragma once

#include "store/error.hpp"

#include <string_view>

namespace postrider::store {

/// What a SQLSTATE means to the caller. An empty one (the connection was lost
/// or never made) is `transient`.
error::kind kind_of_sqlstate(std::string_view state);
/// The same for those who count.
error_class class_of_sqlstate(std::string_view state);

} // namespace postrider::store
