#pragma once

#include "core/model.hpp"
#include "core/outcome.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace postrider::store {

/// The outcome of one delivery's attempt, on its way into the database.
struct settlement {
  std::uint16_t partition = 0;
  std::int64_t epoch = 0; ///< of the lease under which the row was read
  std::int64_t delivery = 0;
  std::int64_t endpoint = 0;
  /// Of the endpoint when the request was made: says which URL was dialled.
  std::int64_t endpoint_version = 0;
  uuid event;
  /// Attempts in the row when it was read; the second half of the fence. The
  /// attempt written has this number (0-based).
  int attempts = 0;
  /// `succeeded`, `failed`, `cancelled` end the delivery; `retrying` sets
  /// `due_at` to `wait` from now; `held` waits for its endpoint if that is sick
  /// on record, else it is as `retrying` when sent and as it was when not.
  delivery_state state = delivery_state::succeeded;
  end_reason reason = end_reason::none;
  std::chrono::milliseconds wait{0};
  /// False when no request went out: the row ends without an attempt spent.
  bool sent = true;
  std::optional<int> status;
  attempt_error error = attempt_error::none;
  std::chrono::milliseconds duration{0};
  /// When the request began; the database's clock less the time since then
  /// becomes the attempt's `started_at`.
  std::chrono::steady_clock::time_point started{};
  /// The delivery's public id, for the news that it was given up.
  std::string name;
  /// First bytes of the response body; stored when the attempt failed.
  std::string response;
};

struct settled {
  /// One for each settlement, in their order: whether the write hit its row.
  /// A miss is a lost fence (or a repeat after an unknown commit), no error.
  std::vector<bool> hit;
};

/// Writes outcomes: one statement and one commit for a batch. Ended rows are
/// deleted and their final attempt appended, others updated to `retrying` with
/// their attempt appended; each only while this node owns the partition under
/// the same epoch and the row is there with the same number of attempts.
/// Throws `error`; not thread-safe. Running a batch again after a throw is
/// safe. After a throw the next call connects again.
class settler {
public:
  settler(database where, uuid node, std::string node_name);
  ~settler();

  settled settle(std::span<const settlement> batch);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
