#pragma once

#include "core/model.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace postrider::store {

/// What PostgreSQL says of running transactions: `pg_current_snapshot()`, and
/// those from its `xmax` on, which it does not list.
struct snapshot {
  std::uint64_t xmin = 0;
  std::uint64_t xmax = 0; ///< one past the highest that has ended
  /// Those in [xmin, xmax) that still run.
  std::vector<std::uint64_t> running;
  /// The next id to be given out: those from `xmax` to it are not listed and
  /// may be running.
  std::uint64_t next = 0;
};

struct new_rows {
  snapshot seen;
  /// Highest delivery id ever given out, read no later than `seen`.
  std::int64_t allocated = 0;
  std::vector<delivery> rows; ///< by id
};

/// The share of one endpoint that lags behind the node's cursor.
struct lagging {
  std::uint16_t partition = 0;
  std::int64_t endpoint = 0;
  std::int64_t after = 0; ///< rows with a higher id are wanted
  std::int32_t room = 0;  ///< at most this many
  bool held = false;      ///< those that are held too
};

/// An endpoint whose health wants attention now.
struct health_notice {
  std::int64_t endpoint = 0;
  std::uint16_t partition = 0;
  bool held = false; ///< something is held for it
};

struct due_rows {
  /// Microseconds of the database's clock at the moment of reading.
  std::int64_t now = 0;
  std::vector<delivery> rows; ///< by due time; at most `limit`
  /// Due time of the last row in microseconds; `now` when fewer than `limit`.
  std::int64_t upto = 0;
};

/// Set-based reads of the hot table, on a connection of its own with the plan
/// pinned to ordered index walks. Nothing here writes or locks. Throws
/// `error`; not thread-safe. After a throw the next call connects again.
class reader {
public:
  explicit reader(database where);
  ~reader();

  /// The cheap question of an idle poll: `allocated` and `seen`, no rows. On a
  /// connection that was opened since `start_of` this and the reads by id
  /// throw: the server may have crashed, or be another, and may give out ids
  /// and transactions once more that were seen already.
  new_rows peek();

  /// The lowest id of a queued row in these partitions, less one; `allocated`
  /// when there is none. Walks the head of each partition's index: for the
  /// start and for takeovers only.
  std::int64_t start_of(std::span<const std::uint16_t> partitions);

  /// Queued rows with `after < id <= upto` of these partitions, without those
  /// of the endpoints in `skip`; the lowest `limit` ids.
  new_rows read(std::span<const std::uint16_t> partitions, std::int64_t after,
                std::int64_t upto, std::span<const std::int64_t> skip,
                int limit);

  /// Queued rows of lagging endpoints up to the id `upto`, by the index on
  /// (endpoint, id).
  std::vector<delivery> read_lagging(std::span<const lagging> wanted,
                                     std::int64_t upto);

  /// Rows that became due in (`after`, now], oldest first. `after` in
  /// microseconds of the database's clock.
  due_rows read_due(std::span<const std::uint16_t> partitions,
                    std::int64_t after, std::span<const std::int64_t> skip,
                    int limit);

  /// Endpoints of these partitions for which a trial is due, an incident ends
  /// or what was held is to go out; at most `limit` of each kind.
  std::vector<health_notice>
  health_due(std::span<const std::uint16_t> partitions, int limit);

  /// Every row of one partition with `id > after` that is queued or due now, by
  /// id: the slow full sweep. Returns at most `limit` rows.
  std::vector<delivery> sweep(std::uint16_t partition, std::int64_t after,
                              int limit);

  /// Contents by id, in one statement. Unknown ids are absent, and so is what
  /// can't be sent as it stands.
  std::unordered_map<uuid, event_ptr> events(std::span<const uuid> ids);

  /// Endpoints by key, deleted ones too; absent when there is no such row.
  /// A URL or header that can't be used leaves it without a target, and so do
  /// secrets of which none can be used.
  std::vector<endpoint_ptr> endpoints(std::span<const std::int64_t> ids);

  /// Endpoints whose version is above `version`, lowest first, at most `limit`
  /// of them. Versions commit in order.
  std::vector<endpoint_ptr> endpoints_since(std::int64_t version, int limit);
  /// The highest version given out.
  std::int64_t endpoint_version();

  /// Secrets are sealed with this key, 32 bytes.
  void use_secret_key(std::string key);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
