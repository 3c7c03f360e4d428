#pragma once

#include "core/model.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace postrider {

/// The lines in which the deliveries of one partition wait: one line for each
/// stream of each endpoint, in the order of their ids, one attempt at a time
/// in a `fifo` stream (G3). Endpoints take turns, so that a long line does not
/// keep a short one waiting, and none has more attempts in flight than its
/// limit.
class lines {
public:
  /// Sets how an endpoint is to be served. Called before the first delivery
  /// of an endpoint that is not known, and when one that is known changes.
  void configure(std::int64_t endpoint, ordering order, int max_in_flight);

  /// Whether something of this endpoint waits or is in flight. One that is
  /// idle is forgotten with its settings.
  bool knows(std::int64_t endpoint) const { return lanes_.contains(endpoint); }

  /// How many attempts of the endpoint may be taken from now on; `unlimited`
  /// until told otherwise. An endpoint that is idle keeps no allowance.
  static constexpr int unlimited = -1;
  void allow(std::int64_t endpoint, int attempts);
  /// Nothing of the endpoint is taken while it is blocked, whatever it is
  /// allowed.
  void block(std::int64_t endpoint, bool yes);
  /// How many of the endpoint could be taken at once if they were allowed; 0
  /// while something is.
  int wanted(std::int64_t endpoint) const;

  /// Puts a delivery in its line, at its place by id: a retry that is due or
  /// a late commit goes before what came after it.
  void add(const delivery& waiting);

  /// Takes a delivery whose attempt may start now; nothing when all wait for
  /// another one to finish.
  std::optional<delivery> take();

  /// An attempt of this delivery is in flight already, begun by another driver:
  /// its stream waits for it as if it had been taken.
  void adopt(const delivery& taken);

  /// A delivery that was taken and could not be begun goes back to its place;
  /// what it was allowed is given back too.
  void put_back(const delivery& taken);

  /// The attempt of a taken delivery has ended, in whatever way: its stream
  /// moves on.
  void finish(std::int64_t endpoint, std::int64_t stream);

  /// Removes and returns everything that waits, of one endpoint or of all.
  std::vector<delivery> clear(std::int64_t endpoint);
  std::vector<delivery> clear();

  std::size_t waiting() const noexcept { return waiting_; }
  std::size_t in_flight() const noexcept { return in_flight_; }

private:
  struct line {
    int out = 0;        ///< attempts in flight; at most one in `fifo`
    bool ready = false; ///< stands in its lane's `ready`
    std::deque<delivery> waiting;
  };

  struct lane {
    ordering order = ordering::fifo;
    int limit = 1;
    int allowed = unlimited;
    bool blocked = false;
    int in_flight = 0;
    bool in_turn = false;
    std::unordered_map<std::int64_t, line> streams;
    std::deque<std::int64_t> ready; ///< streams whose head may start
  };

  static bool may_start(const lane& of) {
    return of.in_flight < of.limit && of.allowed != 0 && !of.blocked;
  }
  void offer(std::int64_t endpoint, lane& of, std::int64_t stream, line& in);
  void queue(std::int64_t endpoint, lane& of);
  void forget_if_idle(std::int64_t endpoint);

  std::unordered_map<std::int64_t, lane> lanes_;
  std::deque<std::int64_t> turn_; ///< endpoints that may start an attempt
  std::size_t waiting_ = 0;
  std::size_t in_flight_ = 0;
};

} // namespace postrider
