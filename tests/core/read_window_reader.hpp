#pragma once

#include "tests/core/read_window_table.hpp"

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace postrider::testing {

/// The protocol that actors/reader.cpp follows with its window, step by step:
/// a question is asked, executed some time later, and answered later still.
class model_reader {
public:
  enum class kind {
    start,
    rows,
    late,
    shares,
    due,
    sweep,
    peek,
    look,
    content
  };

  model_reader(read_limits limits, int most) : window{limits}, most_{most} {}

  read_window window;
  bool may_read_due = true;
  bool may_sweep = false;
  /// Rows that go to their drivers.
  std::function<void(const delivery&)> handed;
  std::uint64_t questions = 0;
  std::uint64_t late_questions = 0;

  bool busy() const { return busy_; }
  kind asked() const { return what_; }

  void own(std::set<std::uint16_t> next) {
    for (const auto one : next)
      if (!owned_.contains(one))
        gained_.insert(one);
    for (const auto one : owned_)
      if (!next.contains(one))
        window.drop(one);
    std::erase_if(gained_, [&](auto one) { return !next.contains(one); });
    owned_ = std::move(next);
  }
  /// A driver that failed was started again: it knows nothing.
  void restart(std::uint16_t one) {
    window.drop(one);
    gained_.insert(one);
  }
  const std::set<std::uint16_t>& owned() const { return owned_; }

  /// An endpoint is read in another way from now on.
  void gate(std::uint16_t partition, std::int64_t endpoint, read_gate how,
            std::span<const std::int64_t> given_back) {
    window.set_gate(partition, endpoint, how, given_back);
    if (busy_)
      regated_.insert(endpoint);
  }
  /// A partition that was gained is read from now on.
  std::function<void(std::uint16_t)> started;
  bool reads(std::uint16_t one) const {
    return owned_.contains(one) && !gained_.contains(one);
  }
  /// An endpoint of which all was read that its gate asked for.
  std::function<void(std::int64_t)> gate_done;

  /// The ingester tells what it has committed.
  void hand_over(const std::vector<fresh_delivery>& made) { fresh_.add(made); }
  std::uint64_t handed_over = 0; ///< deliveries

  /// Asks what comes next. False when there is nothing to do for a reader
  /// without partitions.
  bool ask() {
    if (owned_.empty())
      return false;
    partitions_.assign(owned_.begin(), owned_.end());
    if (!gained_.empty()) {
      starting_ = gained_;
      for (const auto one : gained_)
        window.drop(one);
      return begin(kind::start);
    }
    for (const auto& one : window.gates_done())
      gate_done(one.endpoint);
    if (auto rows = window.take_handed(fresh_); !rows.empty()) {
      handed_over += rows.size();
      hand_out(std::move(rows));
      return true;
    }
    if (auto range = window.next_late()) {
      range_ = *range;
      skip_ = window.skipped();
      ++late_questions;
      return begin(kind::late);
    }
    for (int tried = 0; tried < 4; ++tried) {
      turn_ = (turn_ + 1) % 4;
      if (turn_ == 0   ? ask_rows()
          : turn_ == 1 ? ask_shares()
          : turn_ == 2 ? ask_due()
                       : ask_sweep())
        return true;
    }
    return begin(kind::peek);
  }

  /// The statement takes its snapshot and reads its rows.
  void execute(const model_table& table) {
    if (what_ == kind::start)
      allocated_ = table.allocated();
    view_ = table.look();
    const auto& p = partitions_;
    switch (what_) {
    case kind::rows:
    case kind::late:
      rows_ = statements::read(view_, p, range_, skip_);
      break;
    case kind::shares:
      rows_ = statements::share(view_, shares_, range_.upto);
      break;
    case kind::due:
      rows_ = statements::due(view_, p, range_.after, skip_, range_.limit);
      break;
    case kind::sweep:
      rows_ = statements::sweep(view_, swept_, swept_after_, range_.limit);
      break;
    default:
      break;
    }
  }

  /// A sequence knows no snapshot: it is read while the statement runs.
  void read_sequence(const model_table& table) {
    if (what_ != kind::start)
      allocated_ = table.allocated();
    else // its second statement; `allocated_` is from the first
      view_ = table.look();
  }

  void answer() {
    busy_ = false;
    switch (what_) {
    case kind::start: {
      const std::vector<std::uint16_t> of{starting_.begin(), starting_.end()};
      for (const auto one : starting_)
        gained_.erase(one);
      window.restart(statements::start_of(view_, of, allocated_));
      for (const auto one : starting_)
        if (owned_.contains(one))
          started(one);
      break;
    }
    case kind::rows:
      window.saw(view_.seen(), allocated_);
      follow_late(window.take(range_, rows_));
      break;
    case kind::late:
      window.saw(view_.seen(), allocated_);
      {
        auto all = window.take_late(range_, rows_);
        all.insert(all.end(), found_.begin(), found_.end());
        found_.clear();
        follow_late(std::move(all));
      }
      break;
    case kind::shares:
      look_and_follow(window.take_shares(shares_, rows_));
      break;
    case kind::due: {
      const bool all = std::ssize(rows_) < range_.limit || rows_.empty();
      const auto upto = all ? view_.now : rows_.back().due;
      auto taken = window.take_due(rows_, upto, view_.now);
      may_read_due = upto < view_.now && !taken.empty();
      hand_out(std::move(taken));
      break;
    }
    case kind::sweep: {
      const bool whole =
          std::ssize(rows_) < range_.limit || rows_.back().id > window.cursor();
      swept_after_ = whole ? 0 : rows_.back().id;
      look_and_follow(window.take_swept(rows_));
      break;
    }
    case kind::peek:
      window.saw(view_.seen(), allocated_);
      window.look_again();
      may_read_due = true;
      break;
    case kind::look:
      window.saw(view_.seen(), allocated_);
      follow_late(std::exchange(found_, {}));
      break;
    case kind::content:
      for (const auto& row : std::exchange(out_, {})) {
        if (!window.contains(row.id))
          continue;
        if (regated_.contains(row.endpoint)) {
          window.give_back(row);
          continue;
        }
        if (owned_.contains(row.partition))
          handed(row);
        else
          window.leave(row.id);
      }
      regated_.clear();
      break;
    }
  }

  /// The answer is lost, or the store has failed.
  void fail() {
    busy_ = false;
    rounds_ = 0;
    if (what_ == kind::late)
      window.put_back(range_);
    for (const auto& row : std::exchange(out_, {}))
      window.give_back(row);
    for (const auto& row : std::exchange(found_, {}))
      window.give_back(row);
    window.restart(window.cursor());
  }

private:
  bool begin(kind what) {
    what_ = what;
    busy_ = true;
    ++questions;
    window.asking();
    return true;
  }

  bool ask_rows() {
    const auto range = window.next();
    if (!range)
      return false;
    range_ = *range;
    range_.limit = std::min(range_.limit, most_);
    skip_ = window.skipped();
    return begin(kind::rows);
  }

  bool ask_shares() {
    shares_ = window.next_shares();
    range_.upto = window.cursor();
    return !shares_.empty() && begin(kind::shares);
  }

  bool ask_due() {
    if (!may_read_due || window.room() == 0)
      return false;
    range_.after = window.due_after();
    range_.limit = std::max(most_, window.room_and_known());
    skip_ = window.due_skipped();
    return begin(kind::due);
  }

  bool ask_sweep() {
    if (!may_sweep || window.room() == 0)
      return false;
    if (swept_after_ == 0) {
      const auto next = owned_.upper_bound(swept_);
      swept_ = next == owned_.end() ? *owned_.begin() : *next;
    }
    range_.limit = 7;
    return begin(kind::sweep);
  }

  void look_and_follow(std::vector<delivery> rows) {
    if (rows.empty() || !window.may_be_late())
      return follow_late(std::move(rows));
    found_ = std::move(rows);
    begin(kind::look);
  }

  void follow_late(std::vector<delivery> rows) {
    const auto range = rows.empty() || rounds_ == most_rounds
                           ? std::nullopt
                           : window.next_late();
    if (!range) {
      rounds_ = 0;
      return hand_out(window.in_order(std::move(rows)));
    }
    ++rounds_;
    range_ = *range;
    skip_ = window.skipped();
    found_ = std::move(rows);
    begin(kind::late);
  }

  void hand_out(std::vector<delivery> rows) {
    std::erase_if(rows, [&](const delivery& row) {
      // What a partition held before it was gained is read anew.
      const bool foreign =
          !owned_.contains(row.partition) || gained_.contains(row.partition);
      if (foreign)
        window.leave(row.id);
      return foreign;
    });
    if (rows.empty()) {
      regated_.clear();
      return;
    }
    out_ = std::move(rows);
    begin(kind::content);
  }

  int most_;
  handover fresh_;
  bool busy_ = false;
  kind what_ = kind::peek;
  int turn_ = 3;
  std::set<std::uint16_t> owned_;
  std::set<std::uint16_t> gained_;
  std::set<std::int64_t> regated_; ///< while a question was open
  std::set<std::uint16_t> starting_;
  std::vector<std::uint16_t> partitions_;
  read_range range_;
  std::vector<read_share> shares_;
  std::vector<std::int64_t> skip_;
  std::uint16_t swept_ = 0;
  std::int64_t swept_after_ = 0;
  model_table::view view_;
  std::int64_t allocated_ = 0;
  std::vector<delivery> rows_;
  static constexpr int most_rounds = 4;
  std::vector<delivery> found_; ///< and not handed out yet
  int rounds_ = 0;
  std::vector<delivery> out_;
};

} // namespace postrider::testing
