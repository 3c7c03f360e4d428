#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace postrider::actors {

enum class level { debug, info, warn, error };

/// Writes one line of the log: who speaks and what is to be known. Callable
/// from any thread; must not throw.
using log_sink =
    std::function<void(level, std::string_view component, std::string)>;

} // namespace postrider::actors
