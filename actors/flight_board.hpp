#pragma once

#include "actors/attempt_inbox.hpp"
#include "actors/open_attempt.hpp"
#include "core/suspects.hpp"
#include "store/leases.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace postrider::actors {

/// What the driver of a partition leaves behind: the attempts that are in
/// flight and the inbox that their results come to.
struct flights {
  std::vector<open_attempt> open;
  std::shared_ptr<attempt_inbox> inbox;
  std::int64_t tickets = 0; ///< the last one that was given out
};

/// Where the drivers of a node leave what is in flight when they end, for their
/// successors: a driver that fails is no reason to send again (G6). It outlives
/// all of them. Callable from any thread.
class flight_board {
public:
  enum class arrival {
    alone, ///< it is the first one under this lease
    heir,  ///< it is not; what was in flight is its own
    early, ///< the driver before has not ended yet: to be asked again
  };

  /// A driver begins under this lease. What was left under it goes into `out`;
  /// what was left under an earlier one is forgotten.
  arrival enter(const store::lease& under, flights& out);
  /// A driver that had entered ends. It was handling that delivery when it
  /// failed; 0: none.
  void leave(const store::lease& under, flights left, std::int64_t handled);

  /// The lease is lost: what its driver has in flight is nobody's any more.
  void abandon(const store::lease& lost);

  /// Whether a driver is at work, or what one had in flight waits for its
  /// successor: the node must not leave as if there were nothing.
  bool in_use() const;

  /// One partition of the node at a time is driven carefully, so that a crash
  /// tells which delivery it was. Given back by `leave` too.
  bool take_turn(std::uint16_t partition);
  void give_turn(std::uint16_t partition);

  /// The reader has given these away long ago: does their driver have them?
  /// Asked here and not by message, as it was a message that was lost.
  void doubt(std::uint16_t partition, std::vector<std::int64_t> some);
  /// What was asked of a driver since its last look.
  std::vector<std::int64_t> doubted(std::uint16_t partition);
  /// A driver has none of these.
  void disown(const std::vector<std::int64_t>& some);
  /// What was disowned since the reader's last look.
  std::vector<std::int64_t> disowned();

  /// Whether this delivery has been the end of too many drivers.
  bool convicted(std::int64_t delivery) const;
  /// It has come to an end.
  void forget(std::int64_t delivery);

private:
  struct place {
    bool taken = false;
    std::int64_t epoch = 0; ///< of what is left
    std::int64_t abandoned = 0;
    std::optional<flights> left;
  };

  mutable std::mutex mutex_;
  std::map<std::uint16_t, place> places_;
  std::optional<std::uint16_t> turn_;
  std::map<std::uint16_t, std::vector<std::int64_t>> doubts_;
  std::vector<std::int64_t> disowned_;
  std::atomic<std::size_t> doubtful_{0}; ///< partitions; spares the lock
  suspects suspects_;
  std::atomic<bool> suspicious_{false}; ///< spares the lock
};

} // namespace postrider::actors
