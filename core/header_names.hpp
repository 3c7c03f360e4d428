#pragma once

#include <string_view>

namespace postrider {

/// Whether the name begins with the prefix, in whatever case; never with an
/// empty one.
bool has_header_prefix(std::string_view name, std::string_view prefix);

/// Whether a field of this name usually carries a secret (`Authorization`,
/// `Cookie`, `X-Api-Key`, …), whatever its case: its value is not shown again.
/// (HDR-04.)
bool is_secret_header(std::string_view name);

} // namespace postrider
