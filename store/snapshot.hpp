#pragma once

#include "store/reader.hpp"

#include <cstdint>
#include <string_view>

namespace postrider::store {

/// Reads `xmin:xmax:a,b,…`, as `pg_snapshot` is printed. Throws `defect` for
/// anything else.
snapshot parse_snapshot(std::string_view text);

/// Adds the transactions that the snapshot does not list: `xmax` is one past
/// the highest that has ended, so those from there to the next id to be given
/// out may be running too. `age` is that of the transaction id 3.
void add_unlisted(snapshot& to, std::int32_t age);

} // namespace postrider::store
