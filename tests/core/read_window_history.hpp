#pragma once

#include "tests/core/read_window_reader.hpp"

#include <map>
#include <random>
#include <string>

namespace postrider::testing {

/// A random history of producers, partitions, drivers and one reader; in a
/// `sick` one endpoints are held, tried, reopened and parked too. `fault` tells
/// the first promise that was broken, in words.
class window_history {
public:
  explicit window_history(unsigned seed, bool sick = false)
      : chance_{seed},
        limits_{some_limits()},
        reader_{limits_, static_cast<int>(upto(2, 20))},
        partitions_{static_cast<std::uint16_t>(upto(1, 4))},
        endpoints_{static_cast<std::int64_t>(upto(1, 8))},
        sweeps_{one_in(4)},
        sick_{sick} {
    reader_.handed = [this](const delivery& row) { handed(row); };
    reader_.started = [this](std::uint16_t one) { begin_anew(one); };
    reader_.gate_done = [this](std::int64_t endpoint) { gate_done(endpoint); };
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
    bool hold = false; ///< is held, not ended
  };

  /// An endpoint as its driver knows it, and as it is on record.
  struct health_of {
    enum class mode { open, hold, trial, park } word = mode::open;
    bool held = false;      ///< on record: what is new is held
    bool releasing = false; ///< on record
    bool trying = false;
    std::uint64_t reopened = 0;
  };
  using mode = health_of::mode;

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
    if (sick_ && one_in(12))
      change_health();
    else if (what < 25)
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
      row.held = health_[row.endpoint].held;
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
    auto& of = health_[row.endpoint];
    if (of.word != mode::open)
      return handed_while_shut(of, row);
    if (row.due == 0)
      if (const auto before = table_.untried_below(row, open_))
        return break_promise("handed out before " + std::to_string(before)
                             + " of its transaction: " + id);
    open_[row.id] = {row, stage::driven, 0, 0};
  }

  void handed_while_shut(health_of& of, const delivery& row) {
    if (of.word == mode::trial && row.trial && !of.trying) {
      of.trying = true;
      open_[row.id] = {row, stage::driven, 0, 0};
    } else if (of.word == mode::park || row.held) {
      reader_.window.leave(row.id);
    } else {
      open_[row.id] = {row, stage::settling, 0, table_.now, true};
    }
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
      // A trial comes beside.
      if (++counts[one.row.endpoint] > limits_.per_endpoint + sick_)
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
    switch (at->second.at) {
    case stage::driven:
      return begin(head_of(at));
    case stage::settling:
      return write(at);
    case stage::written:
      reader_.window.leave(at->first);
      open_.erase(at);
    }
  }

  /// What waits begins in the order of ids.
  place head_of(place at) {
    if (!sick_ || at->second.row.trial)
      return at;
    for (auto one = open_.begin(); one != at; ++one)
      if (one->second.row.endpoint == at->second.row.endpoint
          && one->second.at == stage::driven)
        return one;
    return at;
  }

  void begin(place at) {
    auto& [id, one] = *at;
    const auto& of = health_[one.row.endpoint];
    if (of.reopened > 0 && of.word == mode::open && one.row.attempts == 0)
      if (const auto before =
              table_.overtaken(one.row, of.reopened, [&](std::int64_t other) {
                const auto known = open_.find(other);
                return held_late_.contains(other)
                       || (known != open_.end()
                           && known->second.at != stage::driven);
              }))
        return break_promise(std::to_string(id) + " overtakes "
                             + std::to_string(before));
    one.at = stage::settling;
    one.since = table_.now;
    if (one.row.attempts < 3 && one_in(3))
      one.due = table_.now + static_cast<std::int64_t>(upto(1, 3'000'000));
  }

  void write(place at) {
    auto& [id, one] = *at;
    one.at = stage::written;
    auto& of = health_[one.row.endpoint];
    const bool shut = of.word == mode::hold || of.word == mode::trial;
    if (one.hold) {
      table_.hold(id, false);
      // On its way to be held when its endpoint was reopened.
      if (of.word == mode::open)
        held_late_.insert(id);
    } else if (one.due != 0 && shut)
      table_.hold(id, true);
    else if (one.due != 0)
      table_.retry(id, one.due);
    else
      table_.remove(id);
    if (!one.row.trial || !std::exchange(of.trying, false))
      return;
    if (one.due != 0)
      of.word = mode::hold;
    else
      reopen(one.row.endpoint);
  }

  /// No statement runs longer than the reader looks back.
  void hurry() {
    for (auto& [id, one] : open_)
      if (one.at == stage::settling && table_.now - one.since > 6'000'000) {
        advance(open_.find(id));
        return;
      }
  }

  // -- health ----------------------------------------------------------------

  void change_health() {
    const auto which = one_in(2) ? 1
                                 : static_cast<std::int64_t>(upto(
                                     1, static_cast<std::size_t>(endpoints_)));
    const auto partition = static_cast<std::uint16_t>(which % partitions_);
    if (!reader_.reads(partition))
      return;
    auto& of = health_[which];
    switch (of.word) {
    case mode::open:
      if (one_in(3)) {
        of.word = mode::park;
        return gate(which, read_gate::park);
      }
      of.word = mode::hold;
      of.held = true;
      of.releasing = false;
      return gate(which, read_gate::hold);
    case mode::hold:
      if (one_in(2))
        return table_.hold_chunk(which, static_cast<int>(upto(1, 9)));
      if (one_in(4))
        return reopen(which); // an operator
      of.word = mode::trial;
      return gate(which, read_gate::trial);
    case mode::trial:
      if (!of.trying && one_in(3))
        reopen(which);
      return;
    case mode::park:
      return reopen(which);
    }
  }

  void reopen(std::int64_t which) {
    auto& of = health_[which];
    of.word = mode::open;
    of.releasing = of.releasing || of.held;
    of.held = false;
    of.trying = false;
    of.reopened = table_.moment();
    gate(which, read_gate::reopen);
  }

  /// What waits for its turn goes back to the reader.
  void gate(std::int64_t which, read_gate how) {
    std::vector<std::int64_t> given_back;
    if (how != read_gate::trial)
      for (const auto& [id, one] : open_)
        if (one.row.endpoint == which && one.at == stage::driven)
          given_back.push_back(id);
    for (const auto id : given_back)
      open_.erase(id);
    reader_.gate(static_cast<std::uint16_t>(which % partitions_), which, how,
                 given_back);
  }

  void gate_done(std::int64_t which) {
    auto& of = health_[which];
    if (of.word != mode::open)
      return;
    of.releasing = false;
    // Not even what is here already: another holder would not look for it.
    if (const auto left =
            table_.held_row(which, [](std::int64_t) { return false; }))
      break_promise("held and nobody reads it: " + std::to_string(left));
  }

  /// A new driver knows what is on record.
  void begin_anew(std::uint16_t partition) {
    for (auto& [which, of] : health_) {
      if (which % partitions_ != partition)
        continue;
      of.trying = false;
      of.reopened = 0;
      of.word = of.held ? mode::hold : mode::open;
      if (of.held)
        gate(which, read_gate::hold);
      else if (of.releasing)
        reopen(which);
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
    for (auto& [which, of] : health_) {
      of.releasing = of.releasing || of.held;
      of.held = false;
      if (of.word != mode::open
          && reader_.reads(static_cast<std::uint16_t>(which % partitions_)))
        reopen(which);
    }
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
  bool sick_;
  std::map<std::int64_t, health_of> health_;
  std::set<std::int64_t> held_late_;
  int phase_ = 0;
  std::uint64_t drawn_ = 0;
  std::map<std::int64_t, claim> open_;
  std::string fault_;
};

} // namespace postrider::testing
