#pragma once

#include "core/metering.hpp"
#include "core/model.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace postrider::api {

struct route;

/// Statuses that are told apart; any other counts as the last, 0.
inline constexpr std::array<int, 28> known_statuses{
    200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 410,
    412, 413, 414, 415, 417, 422, 428, 429, 431, 500, 501, 503, 505, 0};

/// Why events are refused: codes of problems; any other counts as the last.
inline constexpr std::array<std::string_view, 14> refusal_codes{
    "validation_failed",
    "malformed_json",
    "bad_query",
    "payload_too_large",
    "unsupported_media_type",
    "not_acceptable",
    "unknown_tenant",
    "not_one_receiver",
    "event_id_conflict",
    "idempotency_key_reused",
    "overloaded",
    "storage_unavailable",
    "draining",
    "other"};

struct route_meters {
  std::array<count, known_statuses.size()> statuses;
  quick_times duration;
};

/// By which door an event came.
enum class event_source : std::uint8_t { api, batch };

/// What the API records; thread-safe.
class api_meters {
public:
  api_meters();

  /// A call was answered; `of` is null when no route fits or nobody looked.
  void answered(const route* of, int status,
                std::chrono::nanoseconds took) noexcept;
  /// The same for what the server refuses before there is a call.
  void refused(int status) noexcept;

  /// `by_header`: its key came as Idempotency-Key, not as its id.
  void stored(event_source from, const ingest_result& what,
              bool by_header) noexcept;
  void rejected(std::string_view code) noexcept;

  /// In the order of `routes()`; the last is for no route.
  const std::vector<route_meters>& by_route() const { return by_route_; }

  std::array<count, 2> accepted; ///< by `event_source`
  count duplicate_id;
  count duplicate_key;
  std::array<count, refusal_codes.size()> refusals;
  count unmatched; ///< accepted, and nobody wanted them
  count created;   ///< deliveries
  std::atomic<std::int64_t> in_flight{0};

private:
  std::vector<route_meters> by_route_;
};

} // namespace postrider::api
