#pragma once

#include "core/header.hpp"
#include "core/health.hpp"
#include "core/outcome.hpp"
#include "core/retry.hpp"
#include "core/retry_statuses.hpp"
#include "core/signature.hpp"
#include "core/url.hpp"
#include "core/uuid.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace postrider {

using bytes_ptr = std::shared_ptr<const std::string>;

/// How first attempts to an endpoint follow each other (G3).
enum class ordering : std::uint8_t {
  none, ///< freely, up to the endpoint's limit
  fifo, ///< one at a time in each stream; a failed one leaves the line
};

/// The health of an endpoint as it stands in the database.
struct health_record {
  health of;
  /// Rises with each change; 0 for one that was never anything but healthy.
  std::int64_t revision = 0;
  bool paused = false;    ///< by an operator
  bool shedding = false;  ///< new deliveries are cancelled, not held
  bool releasing = false; ///< what was held is on its way out
  bool resuming = false;  ///< an operator's word that waits for the holder
  /// The receiver asked to be left alone until then.
  std::optional<health::time_point> not_before;

  /// Whether new deliveries are held, or not kept at all.
  bool holds() const {
    return paused || resuming || of.state != health_state::healthy;
  }
};

/// An endpoint as the engine needs it to send. Immutable; a change makes a new
/// one with a higher version.
struct endpoint {
  std::int64_t id = 0; ///< the key inside the database
  uuid public_id;
  std::string tenant;
  std::int64_t version = 0;
  std::uint16_t partition = 0;
  bool deleted = false;
  /// Nothing when the row can't be sent to as it stands: a bad URL or header
  /// in it, or secrets of which none can be used.
  std::optional<url> target;
  ordering order = ordering::fifo;
  retry_policy retry;
  std::vector<header> headers;
  /// Live secrets, newest first.
  std::vector<signing_key> keys;
  int max_in_flight = 32;
  std::optional<double> rate; ///< requests a second, at most
  /// Which statuses are tried again; nothing: the usual ones.
  std::optional<status_set> retry_statuses;
  std::string health_policy = "default";
  health_record health;
  std::chrono::milliseconds connect_timeout{3'000};
  std::chrono::milliseconds timeout{15'000};
};
using endpoint_ptr = std::shared_ptr<const endpoint>;

/// The part of an event that goes over the wire.
struct event_content {
  uuid id;
  std::string type;
  std::string content_type;
  std::vector<header> headers;
  std::string traceparent;
  bytes_ptr payload;
};
using event_ptr = std::shared_ptr<const event_content>;

/// An open delivery as the holder of its partition read it.
struct delivery {
  std::int64_t id = 0; ///< the global sequence
  std::uint16_t partition = 0;
  std::int64_t endpoint = 0;
  uuid event;
  std::int64_t stream = 0; ///< the unit of order within the endpoint
  int attempts = 0;        ///< made so far
  /// Due time of a retry in microseconds of the database's clock since 1970;
  /// 0 for a row that is queued.
  std::int64_t due = 0;
  bool held = false;  ///< held for its endpoint, as the row says
  bool trial = false; ///< read as the oldest of its endpoint
  /// Attempts it may make in all; 0: as the endpoint's policy says.
  int max_attempts = 0;
  std::int32_t size = 0; ///< of the payload in bytes
  /// Time left to the deadline at the moment of reading; may be negative.
  std::chrono::milliseconds remaining{0};
};

enum class event_kind : std::uint8_t { event, command };

/// An event on its way in, checked for form by the caller of the store.
struct new_event {
  std::string tenant;
  std::string type;
  event_kind kind = event_kind::event;
  /// The caller's id or idempotency key; empty for none.
  std::string key;
  /// SHA-256 of what the caller sent; compared when the key repeats.
  std::string fingerprint;
  std::string payload;
  std::string content_type = "application/json";
  std::vector<header> headers;
  std::string ordering_key;
  std::string correlation_id;
  std::string producer;
  std::string schema_version;
  std::string traceparent;
  std::optional<std::chrono::sys_time<std::chrono::milliseconds>> occurred_at;
};

/// What became of one event of a batch.
struct ingest_result {
  enum class status : std::uint8_t {
    accepted,
    duplicate,    ///< same key, same fingerprint: `id` is the first event
    key_conflict, ///< same key, other fingerprint
    unknown_tenant,
    not_one_receiver, ///< a command that matches none or several endpoints
  } what = status::accepted;
  uuid id;
  int deliveries = 0;
};

} // namespace postrider
