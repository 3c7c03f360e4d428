#include "store/health_store.hpp"

#include "store/health_statements.hpp"

#include <utility>

namespace postrider::store {

namespace {

using std::chrono::milliseconds;

// A few milliseconds of work, and as long a lock.
constexpr std::int32_t chunk = 1'000;

void span_or_null(pg::params& to, const std::optional<milliseconds>& span) {
  if (span)
    to.int8(span->count());
  else
    to.null();
}

pg::params params_of(const health_move& one, const uuid& node) {
  pg::params out;
  out.id(node).int8(one.epoch).int8(one.endpoint).int8(one.known);
  out.bytes(one.name).bytes(to_string(one.state)).bytes(to_string(one.cause));
  out.bytes(one.by_receiver ? "receiver" : "engine").int4(one.rung);
  span_or_null(out, one.trial_in);
  out.boolean(one.in_incident).int8(one.retire_after.count());
  span_or_null(out, one.pause_for);
  out.boolean(one.shedding).int4(one.held_max).boolean(one.releasing);
  return out;
}

pg::array ids_of(std::span<const std::int64_t> ids) {
  pg::array out{pg::type::int8};
  for (const auto id : ids)
    out.int8(id);
  return out;
}

chunk_done read_chunk(const pg::rows& from, std::int64_t after) {
  chunk_done out;
  out.upto = from.null(0, 0) ? after : from.int8(0, 0);
  out.whole = from.int4(0, 1) < chunk;
  out.rows = from.int4(0, 2);
  return out;
}

} // namespace

class health_store::impl {
public:
  impl(database where, const uuid& who)
      : link{std::move(where),
             {.application_name = "postrider health",
              .settings = statements::health_settings()}},
        node{who} {}

  pg::params where(std::int64_t endpoint, std::uint16_t partition,
                   std::int64_t epoch, std::int64_t after) const {
    pg::params out;
    out.id(node).int8(endpoint).int2(static_cast<std::int16_t>(partition));
    out.int8(epoch).int8(after).int4(chunk);
    return out;
  }

  pg::connection link;
  uuid node;
};

health_store::health_store(database where, uuid node)
    : impl_{std::make_unique<impl>(std::move(where), node)} {}

health_store::~health_store() = default;

std::optional<std::int64_t> health_store::move(const health_move& what) {
  const auto found =
      impl_->link.run(statements::move_health, params_of(what, impl_->node));
  if (found.null(0, 0))
    return std::nullopt;
  return found.int8(0, 0);
}

health_record health_store::record(std::int64_t endpoint) {
  const auto found =
      impl_->link.run(statements::health_of, pg::params{}.int8(endpoint));
  return found.size() == 0 ? health_record{} : read_health(found, 0, 0);
}

chunk_done health_store::hold(std::int64_t endpoint, std::uint16_t partition,
                              std::int64_t epoch, std::int64_t after) {
  return read_chunk(
      impl_->link.run(statements::hold_chunk,
                      impl_->where(endpoint, partition, epoch, after)),
      after);
}

chunk_done health_store::cancel(std::int64_t endpoint, std::uint16_t partition,
                                std::int64_t epoch, std::int64_t after,
                                std::span<const std::int64_t> in_flight) {
  auto given = impl_->where(endpoint, partition, epoch, after);
  auto without = ids_of(in_flight);
  given.add(without);
  return read_chunk(impl_->link.run(statements::cancel_chunk, given), after);
}

std::pair<int, int> health_store::upkeep() {
  const auto freed = impl_->link.run(statements::rescue_held, {}).int4(0, 0);
  int ended = 0;
  // As long as it goes on, but not for ever: the next round comes soon.
  for (int round = 0; round < 50; ++round) {
    const auto some =
        impl_->link.run(statements::trim_held, pg::params{}.int4(chunk))
            .int4(0, 0);
    ended += some;
    if (some == 0)
      break;
  }
  return {ended, freed};
}

std::vector<tenant_limit> health_store::tenant_limits() {
  const auto found = impl_->link.run(statements::tenant_limits, {});
  std::vector<tenant_limit> out;
  for (int row = 0; row < found.size(); ++row) {
    tenant_limit one;
    one.tenant = found.bytes(row, 0);
    if (!found.null(row, 1))
      one.max_in_flight = found.int4(row, 1);
    if (!found.null(row, 2))
      one.rate = found.float8(row, 2);
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace postrider::store
