#pragma once

#include "core/secret_box.hpp"
#include "store/pg.hpp"
#include "store/reader.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace postrider::store {

class reader::impl {
public:
  explicit impl(database where);

  new_rows peek();
  /// Throws when the connection is not the one of the last start.
  void expect_the_same();

  pg::connection link;
  std::uint64_t opened = 0; ///< as of the last start
  std::optional<secret_box> box;
};

/// Rows of `delivery` as the statements in `reader_statements.hpp` list them.
delivery read_delivery(const pg::rows& from, int row);

pg::array array_of(std::span<const std::int64_t> values);
pg::array array_of(std::span<const std::uint16_t> partitions);

} // namespace postrider::store
