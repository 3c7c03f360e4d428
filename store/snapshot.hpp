#pragma once

#include "store/reader.hpp"

#include <string_view>

namespace postrider::store {

/// Reads `xmin:xmax:a,b,…`, as `pg_snapshot` is printed. Throws `defect` for
/// anything else.
snapshot parse_snapshot(std::string_view text);

} // namespace postrider::store
