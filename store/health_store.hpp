#pragma once

#include "core/model.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace postrider::store {

/// A change of an endpoint's health, on its way into the database.
struct health_move {
  std::int64_t endpoint = 0;
  std::int64_t epoch = 0; ///< of the lease of its partition
  std::int64_t known = 0; ///< the revision that it changes
  std::string name;       ///< the endpoint's public id
  health_state state = health_state::healthy;
  health_cause cause = health_cause::none;
  bool by_receiver = false; ///< the origin; else the engine
  int rung = 0;
  /// From now on; nothing: there is none.
  std::optional<std::chrono::milliseconds> trial_in;
  bool in_incident = false; ///< keeps, or begins, `suspended_since`
  std::chrono::milliseconds retire_after{0};
  std::optional<std::chrono::milliseconds> pause_for;
  bool shedding = false;
  int held_max = 0;
  bool releasing = false;
};

/// How far a long change of an endpoint's open deliveries has come.
struct chunk_done {
  std::int64_t upto = 0; ///< ids up to there are done
  int rows = 0;          ///< that were changed
  bool whole = false;    ///< nothing is left
};

/// In-flight caps and rates of tenants that have their own.
struct tenant_limit {
  std::string tenant;
  std::optional<int> max_in_flight;
  std::optional<double> rate;
};

/// Moves the health of endpoints and what is open for them. Chunks are small,
/// so that no lock is long and others go on between them. Everything is fenced
/// by the lease. Throws `error`; not thread-safe.
class health_store {
public:
  health_store(database where, uuid node);
  ~health_store();

  /// The new revision; nothing when it was not made: the partition or the row
  /// is no longer as it was known.
  std::optional<std::int64_t> move(const health_move& what);

  /// What is on record of an endpoint.
  health_record record(std::int64_t endpoint);

  /// Holds what is queued or due for an endpoint, ids above `after` first, a
  /// chunk of it.
  chunk_done hold(std::int64_t endpoint, std::uint16_t partition,
                  std::int64_t epoch, std::int64_t after);

  /// Ends a chunk of what is open for a disabled endpoint as cancelled, but
  /// for `in_flight`, whose outcomes come by themselves.
  chunk_done cancel(std::int64_t endpoint, std::uint16_t partition,
                    std::int64_t epoch, std::int64_t after,
                    std::span<const std::int64_t> in_flight);

  /// The upkeep of what is held, for all endpoints: frees what nobody means to
  /// hold, ends what is too old or too much. Returns how many deliveries ended
  /// and how many endpoints were freed.
  std::pair<int, int> upkeep();

  /// All tenants that have limits of their own.
  std::vector<tenant_limit> tenant_limits();

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
