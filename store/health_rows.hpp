#pragma once

#include "core/model.hpp"
#include "store/pg.hpp"

/// The columns that `read_health` reads, of `endpoint_health` as `h`; spans
/// count from the moment of reading.
#define POSTRIDER_HEALTH_COLUMNS                                               \
  "h.revision, h.state, h.cause, h.rung::int4, "                               \
  "(extract(epoch from h.trial_at - now()) * 1000)::int8, "                    \
  "(extract(epoch from now() - h.suspended_since) * 1000)::int8, "             \
  "(extract(epoch from h.not_before - now()) * 1000)::int8, "                  \
  "h.paused, h.shedding, h.releasing, h.resuming"

namespace postrider::store {

/// Reads them from the column `column` on. Without a row, or with a state that
/// this binary does not know, an endpoint is healthy.
health_record read_health(const pg::rows& from, int row, int column);

} // namespace postrider::store
