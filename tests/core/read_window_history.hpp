#pragma once

#include "tests/core/read_window_reader.hpp"

#include <map>
#include <random>
#include <string>

namespace postrider::testing {

/// A random history of producers, partitions, drivers and one reader. `fault`
/// tells the first promise that was broken, in words.
class window_history {
public:
  explicit window_history(unsigned seed)
      : chance_{seed},
        limits_{some_limits()},
        reader_{limits_, static_cast<int>(upto(2, 20))},
        partitions_{static_cast<std::uint16_t>(upto(1, 4))},
        endpoints_{static_cast<std::int64_t>(upto(1, 8))},
        sweeps_{one_in(4)} {
    reader_.handed = [this](const delivery& row) { handed(row); };
    reader_.own(some_partitions());
  }

  std::string run(int steps) {
    for (int i = 0; i < steps && fault_.empty(); ++i)
      step();
    if (fault_.empty())
      be_quiet();
    return fault_;
  }

private:
  enum class stage { driven, settling, written };
  struct claim {
    delivery row;
    stage at = stage::driven;
    std::int64_t due = 0; ///< 0: it ends
    std::int64_t since = 0;
  };

  std::size_t upto(std::size_t least, std::size_t most) {
    return least + chance_() % (most - least + 1);
  }
  bool one_in(std::size_t many) { return chance_() % many == 0; }

  read_limits some_limits() {
    const auto rows = upto(3, 40);
    return {rows, upto(60, 900), std::min(rows, upto(1, 6))};
  }

  std::set<std::uint16_t> some_partitions() {
    std::set<std::uint16_t> out;
    for (std::uint16_t i = 0; i < partitions_; ++i)
      if (!one_in(3))
        out.insert(i);
    return out;
  }

  void step() {
    table_.now += static_cast<std::int64_t>(upto(0, 300'000));
    reader_.may_sweep = sweeps_ && one_in(5);
    const auto what = upto(0, 99);
    if (what < 25)
      produce();
    else if (what < 60)
      read(true);
    else if (what < 96)
      settle();
    else if (what < 98)
      other_node();
    else if (one_in(2))
      own(some_partitions());
    else
      restart_driver();
    hurry();
  }

  // -- producers -------------------------------------------------------------

  void produce() {
    const auto& open = table_.open();
    if (open.empty() || (open.size() < 4 && one_in(4))) {
      table_.begin();
      return;
    }
    auto which = *std::next(
        open.begin(), static_cast<std::ptrdiff_t>(upto(0, open.size() - 1)));
    if (one_in(5))
      return table_.commit(which);
    if (one_in(20))
      return table_.roll_back(which);
    for (auto many = upto(1, 6); many > 0; --many) {
      delivery row;
      row.endpoint = one_in(2) ? 1
                               : static_cast<std::int64_t>(upto(
                                   1, static_cast<std::size_t>(endpoints_)));
      row.partition = static_cast<std::uint16_t>(row.endpoint % partitions_);
      row.size = static_cast<std::int32_t>(upto(0, 60));
      table_.draw(which, row);
      ++drawn_;
    }
  }

  // -- the reader ------------------------------------------------------------

  void read(bool may_fail) {
    if (!reader_.busy()) {
      phase_ = 0;
      reader_.ask();
      return;
    }
    if (may_fail && one_in(40)) {
      reader_.fail();
    } else if (phase_ == 0) {
      reader_.execute(table_);
    } else if (phase_ == 1) {
      reader_.read_sequence(table_);
    } else {
      reader_.answer();
      check_bounds();
      phase_ = -1; // a next question may have been asked at once
    }
    ++phase_;
  }

  void handed(const delivery& row) {
    const auto id = std::to_string(row.id);
    if (open_.contains(row.id))
      return break_promise("handed out twice: " + id);
    const auto* now = table_.find(row.id);
    if (!now)
      return break_promise("handed out after it was finished: " + id);
    if (now->attempts != row.attempts)
      return break_promise("handed out as it was before its retry: " + id);
    if (now->due > table_.now)
      return break_promise("handed out before it is due: " + id);
    if (row.due == 0)
      if (const auto before = table_.untried_below(row, open_))
        return break_promise("handed out before " + std::to_string(before)
                             + " of its transaction: " + id);
    open_[row.id] = {row, stage::driven, 0, 0};
  }

  void check_bounds() {
    const auto& window = reader_.window;
    if (window.size() > limits_.rows)
      break_promise("more rows than the window may hold");
    if (window.bytes() >= limits_.bytes + 60)
      break_promise("more bytes than the window may hold");
    std::map<std::int64_t, std::size_t> counts;
    for (const auto& [id, one] : open_) {
      if (!window.contains(id))
        break_promise("not in the window any more: " + std::to_string(id));
      if (++counts[one.row.endpoint] > limits_.per_endpoint)
        break_promise("more rows of an endpoint than its share");
    }
  }

  void break_promise(std::string what) {
    if (fault_.empty())
      fault_ = std::move(what);
  }

  // -- drivers ---------------------------------------------------------------

  void settle() {
    if (open_.empty())
      return;
    advance(std::next(open_.begin(),
                      static_cast<std::ptrdiff_t>(upto(0, open_.size() - 1))));
  }

  using place = std::map<std::int64_t, claim>::iterator;

  void advance(place at) {
    auto& one = at->second;
    switch (one.at) {
    case stage::driven:
      one.at = stage::settling;
      one.since = table_.now;
      if (one.row.attempts < 3 && one_in(3))
        one.due = table_.now + static_cast<std::int64_t>(upto(1, 3'000'000));
      break;
    case stage::settling:
      one.at = stage::written;
      if (one.due != 0)
        table_.retry(at->first, one.due);
      else
        table_.remove(at->first);
      break;
    case stage::written:
      reader_.window.leave(at->first);
      open_.erase(at);
    }
  }

  /// No statement runs longer than the reader looks back.
  void hurry() {
    for (auto& [id, one] : open_)
      if (one.at == stage::settling && table_.now - one.since > 6'000'000) {
        advance(open_.find(id));
        return;
      }
  }

  // -- partitions ------------------------------------------------------------

  void forget(std::uint16_t partition) {
    std::erase_if(open_, [&](const auto& item) {
      return item.second.row.partition == partition;
    });
  }

  void own(std::set<std::uint16_t> next) {
    for (const auto one : reader_.owned())
      if (!next.contains(one))
        forget(one);
    reader_.own(std::move(next));
  }

  /// What its predecessor has settled is written before.
  void restart_driver() {
    if (reader_.owned().empty())
      return;
    const auto which = *reader_.owned().begin();
    for (auto at = open_.begin(); at != open_.end();) {
      const auto here = at++;
      const auto was = here->second.at;
      if (here->second.row.partition != which || was == stage::driven)
        continue;
      if (was == stage::settling)
        advance(here);
      advance(here);
    }
    forget(which);
    reader_.restart(which);
  }

  /// Another node works where this one does not.
  void other_node() {
    for (const auto& row : table_.look().rows)
      if (!reader_.owned().contains(row.partition) && one_in(3)) {
        if (one_in(2))
          table_.remove(row.id);
        else
          table_.retry(row.id,
                       table_.now
                           + static_cast<std::int64_t>(upto(0, 2'000'000)));
      }
  }

  // -- the end ---------------------------------------------------------------

  void be_quiet() {
    while (!table_.open().empty())
      table_.commit(*table_.open().begin());
    std::set<std::uint16_t> all;
    for (std::uint16_t i = 0; i < partitions_; ++i)
      all.insert(i);
    own(all);
    reader_.may_sweep = false;
    const auto before = reader_.questions;
    const auto enough = 100 + 20 * drawn_;
    while (fault_.empty()) {
      const auto left = table_.first();
      if (left == 0)
        return;
      if (reader_.questions - before > enough)
        return break_promise("never read: delivery " + std::to_string(left));
      table_.now += 100'000;
      read(false);
      for (auto at = open_.begin(); at != open_.end();) {
        const auto here = at++;
        if (one_in(2))
          advance(here);
      }
    }
  }

  std::mt19937 chance_;
  read_limits limits_;
  model_table table_;
  model_reader reader_;
  std::uint16_t partitions_;
  std::int64_t endpoints_;
  bool sweeps_;
  int phase_ = 0;
  std::uint64_t drawn_ = 0;
  std::map<std::int64_t, claim> open_;
  std::string fault_;
};

} // namespace postrider::testing
