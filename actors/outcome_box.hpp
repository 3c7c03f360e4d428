#pragma once

#include "actors/protocol.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace postrider::actors {

/// The outcomes of a node that are not written yet. It outlives the actors that
/// fill and empty it: while the process lives none is lost (G6). What it holds
/// is bounded by the window of the reader, from which a delivery leaves only
/// when its outcome is written. Callable from any thread.
class outcome_box {
public:
  /// Keeps an outcome. Returns whom to send `settle`: nobody while that is on
  /// its way or there is no settler.
  std::optional<settler_actor> put(store::settlement one);

  /// The first of them, in the order they came in; one batch at a time.
  std::shared_ptr<const settlement_list> take(std::size_t most);
  /// That batch could not be written: it stands before all others again.
  void put_back();
  /// As `done`, but none of it was written.
  std::vector<partition_actor> given_up(time_point now);
  /// That batch is written, or given up. Returns whom to send `drain`.
  std::vector<partition_actor> done(time_point now);
  /// A driver that drains wants to know when all that came so far is written;
  /// false when it is.
  bool tell_when_written(const partition_actor& driver);
  /// From now on the settler is told again of what comes.
  void heard();

  /// The deliveries of a partition whose outcomes are still to be written, or
  /// were written a moment ago, and the attempts that their rows had before:
  /// what is read meanwhile may not show them. What was only to be held is not
  /// among them: it may be sent at any time.
  std::unordered_map<std::int64_t, int> recent(std::uint16_t partition) const;
  /// A driver of the partition begins. What those before it have settled is no
  /// news for the reader: it may be read again by then, and in flight.
  void begins(std::uint16_t partition);
  /// Of what was written that which the reader is to be told.
  std::vector<std::int64_t> news_of(const std::vector<std::int64_t>& written);

  /// Deliveries of a partition whose outcomes are not written: still to be, or
  /// never, as they can't be.
  std::unordered_set<std::int64_t> unwritten(std::uint16_t partition) const;
  /// Whom to send `settle` once more, should that have been lost.
  std::optional<settler_actor> unheard() const;
  std::size_t waiting() const; ///< not taken
  /// How many there were and how many are done since the start.
  std::uint64_t came() const;
  std::uint64_t ended() const;

  /// Who writes from now on, beginning with what its predecessor may not have
  /// written; and who is told what has been written.
  void written_by(const settler_actor& settler);
  void read_by(const reader_actor& reader);
  std::optional<settler_actor> settler() const;
  std::optional<reader_actor> reader() const;

private:
  void return_taken();

  mutable std::mutex mutex_;
  std::deque<store::settlement> waiting_;
  std::shared_ptr<const settlement_list> taken_;
  struct settled {
    std::int64_t delivery = 0;
    std::int32_t attempts = 0;
    std::uint16_t partition = 0;
  };
  static settled in_short(const store::settlement& of);
  struct written {
    time_point at;
    std::vector<settled> what;
  };
  std::deque<written> written_; ///< those of the last seconds
  /// Those that can't be written, and their partitions.
  std::unordered_map<std::int64_t, std::uint16_t> hopeless_;
  std::unordered_multiset<std::int64_t> no_news_;
  std::optional<settler_actor> settler_;
  std::optional<reader_actor> reader_;
  std::uint64_t came_ = 0;
  std::uint64_t ended_ = 0;
  bool told_ = false;
  std::multimap<std::uint64_t, partition_actor> draining_; ///< by what came
};

} // namespace postrider::actors
