#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace postrider {

/// The transactions of a database at one moment, as PostgreSQL tells them:
/// ids below `xmax` that are not in `running` have ended.
struct transactions {
  std::uint64_t xmax = 0;
  std::span<const std::uint64_t> running;
};

/// Knows how far back a reader by id has to look again.
///
/// A delivery's id is drawn before its transaction commits, so a row can
/// appear behind the cursor. Every producer takes its transaction id before it
/// draws a delivery id; hence a row that was invisible at a read belongs to a
/// transaction that this read saw running, and its id is above whatever the
/// cursor was before that transaction was first seen. A range is therefore
/// looked through again once, when such a transaction has ended, and never
/// while it only stays open (DESIGN 4.3).
class late_watch {
public:
  /// Takes note of a read's snapshot. `cursor` is where the reader stood
  /// before this read: ids up to there had been read. Returns how far back a
  /// transaction that has ended since may have written.
  std::optional<std::int64_t> saw(const transactions& now, std::int64_t cursor);

  /// The reader now starts from `cursor`, which may be further back.
  void restart(std::int64_t cursor);

  /// Ids above this and up to the cursor may hold late rows that are visible
  /// now. Taken once: the answer is nothing until another transaction ends.
  std::optional<std::int64_t> take();

  /// Puts a part of a taken range back: it was not read to its end.
  void put_back(std::int64_t from);

  /// Transactions that are watched: a gauge.
  std::size_t watched() const noexcept { return watched_.size(); }

private:
  std::map<std::uint64_t, std::int64_t> watched_; ///< id to lowest drawn id
  std::optional<std::int64_t> ended_from_;
};

} // namespace postrider
