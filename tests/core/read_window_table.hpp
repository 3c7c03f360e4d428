#pragma once

#include "core/late_watch.hpp"
#include "core/model.hpp"
#include "core/read_window.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace postrider::testing {

/// The delivery table as PostgreSQL shows it: rows with the transaction that
/// wrote them, a sequence that knows no transactions, and snapshots.
class model_table {
public:
  struct view {
    /// One past the highest that has ended: what began after it is not listed.
    std::uint64_t xmax = 0;
    std::vector<std::uint64_t> running;
    std::vector<delivery> rows; ///< by id
    std::int64_t now = 0;
    std::uint64_t next = 0;

    transactions seen() const { return {xmax, running, next}; }
  };

  /// A producer takes its transaction id before it draws a delivery id.
  std::uint64_t begin() {
    open_.insert(next_);
    return next_++;
  }
  std::int64_t draw(std::uint64_t by, delivery row) {
    row.id = ++last_;
    rows_[row.id] = {row, by};
    return row.id;
  }
  void commit(std::uint64_t which) {
    for (const auto& [id, row] : rows_)
      if (row.by == which)
        durable_ = std::max(durable_, id);
    lasting_ = std::max(lasting_, which);
    end(which);
  }
  void roll_back(std::uint64_t which) {
    std::erase_if(rows_,
                  [&](const auto& row) { return row.second.by == which; });
    end(which);
  }

  std::vector<delivery> written_by(std::uint64_t which) const {
    std::vector<delivery> out;
    for (const auto& [id, row] : rows_)
      if (row.by == which)
        out.push_back(row.what);
    return out;
  }

  /// Of the ids that nobody committed under some were logged ahead and are
  /// lost; those beyond are given out once more.
  void take_ids_back(std::int64_t logged) { last_ = durable_ + logged; }
  /// The same of transactions; none may be open.
  void take_transactions_back() {
    next_ = lasting_ + 1;
    xmax_ = next_;
    std::erase_if(ended_, [&](const auto& one) { return one.first >= next_; });
  }

  void remove(std::int64_t id) { rows_.erase(id); }
  void retry(std::int64_t id, std::int64_t due) {
    auto& row = rows_.at(id).what;
    row.due = due;
    row.held = false;
    ++row.attempts;
  }
  /// Held for its endpoint, after an attempt or as it was read.
  void hold(std::int64_t id, bool tried) {
    auto& row = rows_.at(id).what;
    row.due = 0;
    row.held = true;
    row.attempts += tried;
  }
  /// What the statement does that holds a backlog, a chunk of it.
  void hold_chunk(std::int64_t endpoint, int most) {
    for (auto& [id, row] : rows_)
      if (row.what.endpoint == endpoint && !row.what.held && row.what.due <= now
          && !open_.contains(row.by) && most-- > 0) {
        row.what.due = 0;
        row.what.held = true;
      }
  }
  const delivery* find(std::int64_t id) const {
    const auto place = rows_.find(id);
    return place == rows_.end() ? nullptr : &place->second.what;
  }

  /// The lowest row that the same transaction wrote for the same endpoint and
  /// that was never tried; 0 when there is none below `row`.
  template <class Open>
  std::int64_t untried_below(const delivery& row, const Open& taken) const {
    const auto by = rows_.at(row.id).by;
    for (const auto& [id, other] : rows_)
      if (id < row.id && other.by == by && other.what.endpoint == row.endpoint
          && other.what.due == 0 && !taken.contains(id))
        return id;
    return 0;
  }

  /// A row of the same endpoint below `row` that was never tried and had been
  /// committed at `since`; 0 when there is none.
  template <class Begun>
  std::int64_t overtaken(const delivery& row, std::uint64_t since,
                         Begun begun) const {
    for (const auto& [id, other] : rows_)
      if (id < row.id && other.what.endpoint == row.endpoint
          && other.what.attempts == 0 && ended_.contains(other.by)
          && ended_.at(other.by) <= since && !begun(id))
        return id;
    return 0;
  }
  /// A held row of the endpoint, committed or not, that `known` does not know.
  template <class Known>
  std::int64_t held_row(std::int64_t endpoint, Known known) const {
    for (const auto& [id, row] : rows_)
      if (row.what.endpoint == endpoint && row.what.held && !known(id))
        return id;
    return 0;
  }
  /// Rises with each transaction that ends.
  std::uint64_t moment() const { return moment_; }

  view look() const {
    view out{xmax_, {open_.begin(), open_.lower_bound(xmax_)}, {}, now, next_};
    for (const auto& [id, row] : rows_)
      if (!open_.contains(row.by))
        out.rows.push_back(row.what);
    return out;
  }
  /// The lowest row of all, also of open transactions; 0 when there is none.
  std::int64_t first() const {
    return rows_.empty() ? 0 : rows_.begin()->first;
  }
  std::int64_t allocated() const { return last_; }
  const std::set<std::uint64_t>& open() const { return open_; }

  std::int64_t now = 1'000'000'000; ///< microseconds

private:
  void end(std::uint64_t which) {
    open_.erase(which);
    ended_[which] = ++moment_;
    xmax_ = std::max(xmax_, which + 1);
  }

  struct stored {
    delivery what;
    std::uint64_t by = 0;
  };

  std::uint64_t xmax_ = 1;
  std::map<std::int64_t, stored> rows_;
  std::set<std::uint64_t> open_;
  std::map<std::uint64_t, std::uint64_t> ended_;
  std::uint64_t moment_ = 0;
  std::uint64_t next_ = 1;
  std::int64_t last_ = 0;
  std::int64_t durable_ = 0;  ///< the highest committed
  std::uint64_t lasting_ = 0; ///< that transaction
};

/// The statements of store/reader over one view of it.
namespace statements {

inline bool has(std::span<const std::uint16_t> all, std::uint16_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}
inline bool has(std::span<const std::int64_t> all, std::int64_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

inline std::vector<delivery> read(const model_table::view& from,
                                  std::span<const std::uint16_t> partitions,
                                  const read_range& range,
                                  std::span<const std::int64_t> skip) {
  std::vector<delivery> out;
  for (const auto& row : from.rows)
    if (std::ssize(out) < range.limit && row.due == 0 && !row.held
        && row.id > range.after && row.id <= range.upto
        && has(partitions, row.partition) && !has(skip, row.endpoint))
      out.push_back(row);
  return out;
}

inline std::vector<delivery> share(const model_table::view& from,
                                   std::span<const read_share> wanted,
                                   std::int64_t upto) {
  std::vector<delivery> out;
  for (const auto& one : wanted) {
    auto left = one.limit;
    for (const auto& row : from.rows)
      if (left > 0 && row.due == 0 && (one.held || !row.held)
          && row.id > one.after && row.id <= upto
          && row.partition == one.partition && row.endpoint == one.endpoint) {
        out.push_back(row);
        --left;
      }
  }
  return out;
}

inline std::vector<delivery>
due(const model_table::view& from, std::span<const std::uint16_t> partitions,
    std::int64_t after, std::span<const std::int64_t> skip, int limit) {
  std::vector<delivery> out;
  for (const auto& row : from.rows)
    if (row.due > after && row.due != 0 && row.due <= from.now
        && has(partitions, row.partition) && !has(skip, row.endpoint))
      out.push_back(row);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.due < b.due; });
  if (std::ssize(out) > limit)
    out.resize(static_cast<std::size_t>(limit));
  return out;
}

inline std::vector<delivery> sweep(const model_table::view& from,
                                   std::uint16_t partition, std::int64_t after,
                                   int limit) {
  std::vector<delivery> out;
  for (const auto& row : from.rows)
    if (std::ssize(out) < limit && row.partition == partition && row.id > after
        && row.due <= from.now && !row.held)
      out.push_back(row);
  return out;
}

inline std::int64_t start_of(const model_table::view& from,
                             std::span<const std::uint16_t> partitions,
                             std::int64_t allocated) {
  for (const auto& row : from.rows)
    if (row.due == 0 && !row.held && has(partitions, row.partition))
      return std::min(allocated, row.id - 1);
  return allocated;
}

} // namespace statements

} // namespace postrider::testing
