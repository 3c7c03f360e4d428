#include "store/health_rows.hpp"

#include <optional>

namespace postrider::store {

namespace {

/// A span that counts from the moment of reading.
std::optional<health::time_point> moment_of(const pg::rows& from, int row,
                                            int column, int direction) {
  if (from.null(row, column))
    return std::nullopt;
  return std::chrono::steady_clock::now()
         + direction * std::chrono::milliseconds{from.int8(row, column)};
}

} // namespace

health_record read_health(const pg::rows& from, int row, int column) {
  health_record out;
  const auto at = [column](int place) { return column + place; };
  if (from.null(row, at(0)))
    return out;
  out.revision = from.int8(row, at(0));
  out.of.state = parse_health_state(from.bytes(row, at(1)))
                     .value_or(health_state::healthy);
  out.of.cause =
      parse_health_cause(from.bytes(row, at(2))).value_or(health_cause::none);
  out.of.rung = from.int4(row, at(3));
  out.of.trial_at =
      moment_of(from, row, at(4), 1).value_or(health::time_point{});
  out.of.suspended_since = moment_of(from, row, at(5), -1);
  out.not_before = moment_of(from, row, at(6), 1);
  out.paused = from.boolean(row, at(7));
  out.shedding = from.boolean(row, at(8));
  out.releasing = from.boolean(row, at(9));
  out.resuming = from.boolean(row, at(10));
  return out;
}

} // namespace postrider::store
