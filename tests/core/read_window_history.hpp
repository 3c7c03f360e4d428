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

  std::string run(int steps);

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

  read_limits some_limits();
  std::set<std::uint16_t> some_partitions();
  void step();

  // -- producers -------------------------------------------------------------

  void produce();
  void commit(std::uint64_t which);
  /// What this node has committed reaches its reader at some time, or never.
  void hand_over();

  // -- the reader ------------------------------------------------------------

  void read(bool may_fail);
  void handed(const delivery& row);
  void handed_while_shut(health_of& of, const delivery& row);
  void check_bounds();

  void break_promise(std::string what) {
    if (fault_.empty())
      fault_ = std::move(what);
  }

  // -- drivers ---------------------------------------------------------------

  void settle();

  using place = std::map<std::int64_t, claim>::iterator;
  void advance(place at);
  /// What waits begins in the order of ids.
  place head_of(place at);
  void begin(place at);
  void write(place at);
  /// No statement runs longer than the reader looks back.
  void hurry();

  // -- health ----------------------------------------------------------------

  void change_health();
  void reopen(std::int64_t which);
  /// What waits for its turn goes back to the reader.
  void gate(std::int64_t which, read_gate how);
  void gate_done(std::int64_t which);
  /// A new driver knows what is on record.
  void begin_anew(std::uint16_t partition);

  // -- partitions ------------------------------------------------------------

  void forget(std::uint16_t partition);
  void own(std::set<std::uint16_t> next);
  /// What its predecessor has settled is written before.
  void restart_driver();
  /// Another node works where this one does not.
  void other_node();

  // -- the end ---------------------------------------------------------------

  void be_quiet();

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
  std::vector<std::vector<fresh_delivery>> told_; ///< on their way
  int phase_ = 0;
  std::uint64_t drawn_ = 0;
  std::map<std::int64_t, claim> open_;
  std::string fault_;
};

} // namespace postrider::testing
