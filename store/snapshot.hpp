#pragma once

#include "store/reader.hpp"

#include <cstdint>
#include <string_view>

namespace postrider::store {

/// Reads `xmin:xmax:a,b,…`, as `pg_snapshot` is printed. Throws `defect` for
/// anything else.
snapshot parse_snapshot(std::string_view text);

/// Sets `next` from the age of the transaction id 3, which is told modulo 2^32
/// against the next id to be given out.
void set_next(snapshot& to, std::int32_t age);

} // namespace postrider::store
