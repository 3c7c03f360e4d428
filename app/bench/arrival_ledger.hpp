#pragma once

#include "app/bench/arrival_pace.hpp"
#include "app/bench/log_histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace postrider::app {

/// A request that bears the mark of this run.
struct bench_arrival {
  std::size_t endpoint = 0;  ///< its number in the run
  std::uint64_t number = 0;  ///< of the event
  std::int64_t sequence = 0; ///< the delivery's id
  int attempt = 0;           ///< 0: the first
  std::int64_t intended = 0; ///< µs of the monotonic clock
  std::int64_t arrived = 0;  ///< likewise
  bool taken = true;         ///< false: answered with a failure, or not at all
};

struct arrival_totals {
  std::uint64_t arrived = 0;     ///< requests of this run
  std::uint64_t unique = 0;      ///< different events in them
  std::uint64_t duplicates = 0;  ///< an event that had arrived before
  std::uint64_t inversions = 0;  ///< first attempts that came out of order
  std::uint64_t retries = 0;     ///< attempts after the first
  std::uint64_t turned_away = 0; ///< requests that were not taken
  std::uint64_t foreign = 0;     ///< requests that bear no mark of this run
  std::uint64_t verified = 0;    ///< signatures that were looked at
  std::uint64_t forged = 0;      ///< of those: wrong
  std::int64_t last = 0;         ///< when the last one came
};

/// A first attempt that came after one with a higher sequence.
struct overtaking {
  std::uint64_t number = 0; ///< of the event that came late
  /// The latest moment for which an event was intended that was there before.
  std::int64_t intended = 0;
};

/// Judges what arrives: each event once, and first attempts to an endpoint in
/// the order of their sequence. A request that was not taken counts for that
/// order and else for nothing: its event has to come again. The number stands
/// for the delivery: where an event has several, each has its own.
class arrival_ledger {
public:
  explicit arrival_ledger(std::size_t endpoints);

  void arrived(const bench_arrival& one);
  void foreign() { ++totals_.foreign; }
  void signature(bool good);
  /// Latencies count from events that were meant to be sent from then on, and
  /// the pace from that moment; what was counted before is forgotten.
  void measure_from(std::int64_t moment);
  /// Latencies count for endpoints with a number below this one only.
  void watch(std::size_t endpoints) { watched_ = endpoints; }

  const arrival_totals& totals() const noexcept { return totals_; }
  /// The inversions, the first ten thousand of them.
  const std::vector<overtaking>& overtakings() const noexcept {
    return overtakings_;
  }
  const log_histogram& latencies() const noexcept { return latencies_; }
  /// Of what was taken.
  const arrival_pace& pace() const noexcept { return pace_; }
  std::size_t endpoints() const noexcept { return last_.size(); }

private:
  void check_order(const bench_arrival& one);

  arrival_totals totals_;
  log_histogram latencies_;
  arrival_pace pace_;
  std::int64_t measure_from_ = 0;
  std::size_t watched_;
  struct endpoint_state {
    std::int64_t sequence = 0; ///< the highest so far
    std::int64_t intended = 0; ///< the latest so far
  };

  std::vector<bool> seen_; ///< by number
  std::vector<endpoint_state> last_;
  std::vector<overtaking> overtakings_;
};

} // namespace postrider::app
