#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>

namespace postrider {

/// The transactions of a database at one moment, as PostgreSQL tells them:
/// ids below `xmax` that are not in `running` have ended; those from `xmax` on
/// that were given out, below `next`, are not listed and may be running.
struct transactions {
  std::uint64_t xmax = 0;
  std::span<const std::uint64_t> running;
  std::uint64_t next = 0;
};

/// Knows how far back a reader by id has to look again.
///
/// A delivery's id is drawn before its transaction commits, so a row can
/// appear behind the cursor. Every producer takes its transaction id before it
/// draws a delivery id; hence a row that was invisible at a read belongs to a
/// transaction that this read saw running, and its id is above whatever the
/// cursor was before that transaction was first seen. A range is therefore
/// looked through again once, when such a transaction has ended, and never
/// while it only stays open (DESIGN 4.3); nor when a row of every id in it has
/// been seen, which leaves none that could be late.
class late_watch {
public:
  /// Takes note of a read's snapshot. `cursor` is where the reader stood
  /// before this read: ids up to there had been read. `gap` is the highest of
  /// them of which no row was seen. Returns how far back a transaction that has
  /// ended since may have written.
  std::optional<std::int64_t> saw(const transactions& now, std::int64_t cursor,
                                  std::int64_t gap);

  /// The reader now starts from `cursor`, which may be further back.
  void restart(std::int64_t cursor);

  /// Ids above this and up to the cursor may hold late rows that are visible
  /// now. Taken once: the answer is nothing until another transaction ends.
  std::optional<std::int64_t> take();

  /// The same without taking it.
  std::optional<std::int64_t> pending() const noexcept { return ended_from_; }

  /// Puts a part of a taken range back: it was not read to its end.
  void put_back(std::int64_t from);

  /// No transaction that may still run has written at or below this; the
  /// highest number when none runs.
  std::int64_t running_from() const noexcept;

  /// Every transaction with an id below this has ended, as of the last
  /// snapshot.
  std::uint64_t ended_below() const noexcept;
  /// The id that was to be given out next, as of the last snapshot.
  std::uint64_t next() const noexcept { return told_; }

  /// Transactions that are watched, and ranges of unlisted ones: a gauge.
  std::size_t watched() const noexcept {
    return watched_.size() + unlisted_.size();
  }

private:
  /// Ids that no snapshot has told of yet. Kept as ranges: a transaction with
  /// a million savepoints takes a million ids.
  struct unlisted {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::int64_t from = 0;
  };

  void note_end(std::int64_t from, std::int64_t gap);
  void resolve(unlisted& ids, const transactions& now, std::int64_t gap);
  void note_unlisted(const transactions& now, std::int64_t cursor);

  std::map<std::uint64_t, std::int64_t> watched_; ///< id to lowest drawn id
  std::deque<unlisted> unlisted_;
  std::uint64_t told_ = 0; ///< ids below this are known of
  std::optional<std::int64_t> lowest_ended_;
  std::optional<std::int64_t> ended_from_;
};

} // namespace postrider
