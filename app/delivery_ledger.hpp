#pragma once

#include "app/latency.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace postrider::app {

/// What the receiver saw, in the ledger's words.
struct receipt {
  std::string event;  ///< the event's public id
  std::string id;     ///< `webhook-id`
  std::string stream; ///< empty: no order is expected
  std::int64_t sequence = 0;
  int attempt = 0;
  bool signature_good = false;
  bool succeeded = false; ///< was answered by a 2xx
  std::chrono::microseconds latency{0};
};

struct ledger_totals {
  std::uint64_t accepted = 0;   ///< events
  std::uint64_t expected = 0;   ///< their deliveries
  std::uint64_t delivered = 0;  ///< of those: answered by a 2xx
  std::uint64_t first = 0;      ///< first attempts seen
  std::uint64_t retried = 0;    ///< further attempts seen
  std::uint64_t duplicates = 0; ///< came again after a 2xx
  std::uint64_t out_of_order = 0;
  std::uint64_t badly_signed = 0;
  std::chrono::microseconds p50{0};
  std::chrono::microseconds p99{0};

  std::uint64_t pending() const { return expected - delivered; }
  bool clean() const { return out_of_order == 0 && badly_signed == 0; }
};

/// Holds what was accepted against what arrived: nothing lost, first attempts
/// of each stream in order, every signature right. Remembers only what is on
/// its way, and the last hundred thousand delivered. Thread-safe.
class delivery_ledger {
public:
  /// The event is durable and has this many deliveries. May come after their
  /// arrival.
  void accepted(const std::string& event, int deliveries);
  void arrived(const receipt& one);
  ledger_totals totals() const;

private:
  struct open_event {
    bool accepted = false;
    int expected = 0;
    int delivered = 0;
  };

  void check_order(const receipt& one);
  void count_delivered(const receipt& one);
  void close_if_complete(const std::string& event, const open_event& state);

  mutable std::mutex mutex_;
  ledger_totals totals_;
  latency latency_;
  std::unordered_map<std::string, open_event> open_;
  std::map<std::string, std::int64_t> last_; ///< sequence in each stream
  std::unordered_set<std::string> done_;     ///< `webhook-id`s
  std::deque<std::string> done_order_;
};

} // namespace postrider::app
