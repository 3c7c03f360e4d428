#pragma once

#include "config/value.hpp"

#include <string>
#include <string_view>

namespace postrider::config {

/// How the thing was probably meant, as it would be right: `"5m"` for
/// `5 minutes`, `"256KiB"` for `256 kb`, `"127.0.0.1:8080"` for `8080`. Where
/// nothing can be guessed, examples.
std::string advise_duration(const value& given);
std::string advise_size(const value& given);
std::string advise_listen(const value& given);

} // namespace postrider::config
