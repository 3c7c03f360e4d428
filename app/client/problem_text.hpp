#pragma once

#include "app/client/failure.hpp"

#include <string>
#include <string_view>

namespace postrider::app {

/// What an answer of the API that is no success means: a problem document is
/// told in words, each pointer on a line of its own, with the next step.
failure failure_of(int status, std::string_view body);

} // namespace postrider::app
