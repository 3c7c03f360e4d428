#pragma once

#include "core/model.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace postrider {

/// A delivery that was made by a transaction of this node which has committed.
struct fresh_delivery {
  delivery row;
  /// It is to be sent; else it is held, or was cancelled at once, and only its
  /// id counts.
  bool queued = true;
};

/// What this node has just committed, by id, until the reader has stepped over
/// it (DESIGN 4.8). A shortcut only: what is dropped here is read.
class handover {
public:
  /// So many wait at most; those with the highest ids are dropped beyond that.
  static constexpr std::size_t most = 2'000;

  void add(std::span<const fresh_delivery> made);

  /// The one that follows this id at once, or null.
  const fresh_delivery* next(std::int64_t id) const;
  /// Drops what is at or below this id.
  void skip_to(std::int64_t id);

  /// The highest id that was ever added: it was drawn.
  std::int64_t highest() const noexcept { return highest_; }
  std::size_t size() const noexcept { return waiting_.size(); }

private:
  std::map<std::int64_t, fresh_delivery> waiting_;
  std::int64_t highest_ = 0;
};

} // namespace postrider
