#pragma once

#include "core/secret_box.hpp"
#include "store/pg.hpp"
#include "store/reader.hpp"

#include <optional>
#include <string>

namespace postrider::store {

class reader::impl {
public:
  explicit impl(std::string url);

  /// The plan is pinned: one that was made while the table was empty, and is
  /// kept by the prepared statement, would read it whole later (PERFORMANCE
  /// 2.10). The price that a disabled scan carries would also make the server
  /// compile each statement, and start workers for it.
  static std::vector<std::string> settings();

  pg::connection link;
  std::optional<secret_box> box;
};

/// Rows of `delivery` as the statements in `reader_statements.hpp` list them.
delivery read_delivery(const pg::rows& from, int row);

pg::array array_of(std::span<const std::int64_t> values);
pg::array array_of(std::span<const std::uint16_t> partitions);

} // namespace postrider::store
