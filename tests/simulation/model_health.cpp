// The health of endpoints (store/health_store.cpp and its SQL functions).
#include "tests/simulation/model_database.hpp"

#include <algorithm>

namespace postrider::testing {

using std::chrono::milliseconds;

namespace {

constexpr int chunk = 5; // small, so that there are several

std::int64_t micros(milliseconds span) {
  return span.count() * 1'000;
}

} // namespace

actors::moved model_database::move(const asker& by,
                                   const store::health_move& what) {
  tick();
  const auto partition = specs_.at(what.endpoint)->partition;
  const auto was = health_[what.endpoint];
  if (!holds_lease(by, partition, what.epoch) || was.revision != what.known)
    return {std::nullopt, record(by, what.endpoint)};
  auto fresh = was;
  fresh.of.state = what.state;
  if (was.of.state != what.state)
    fresh.of.cause = what.cause;
  fresh.of.rung = what.rung;
  fresh.trial_at.reset();
  if (what.trial_in)
    fresh.trial_at =
        now()
        + static_cast<std::int64_t>(static_cast<double>(micros(*what.trial_in))
                                    * (1 + in_.by.unit() / 10));
  fresh.suspended_since.reset();
  if (what.in_incident)
    fresh.suspended_since = was.suspended_since.value_or(now());
  fresh.retire_at.reset();
  if (what.state == health_state::suspended)
    fresh.retire_at = *fresh.suspended_since + micros(what.retire_after);
  fresh.not_before.reset();
  if (what.pause_for)
    fresh.not_before = now() + micros(*what.pause_for);
  fresh.shedding = what.shedding;
  fresh.releasing = what.releasing;
  fresh.resuming = false;
  fresh.revision = ++last_revision_;
  in_.rare("health: " + std::string{to_string(what.state)},
           was.of.state != what.state);
  in_.rare("reopened", what.releasing && !was.releasing);
  health_[what.endpoint] = fresh;
  changed(what.endpoint);
  in_.seen.note(in_.now(), "health", what.endpoint,
                static_cast<int>(what.state), what.releasing);
  return {fresh.revision, {}};
}

health_record model_database::record(const asker& by,
                                     std::int64_t endpoint) const {
  const auto& from = health_.at(endpoint);
  health_record out;
  const auto moment = [&](std::int64_t at) {
    return by.clock(in_.time.now()) + std::chrono::microseconds{at - now()};
  };
  out.of.state = from.of.state;
  out.of.cause = from.of.cause;
  out.of.rung = from.of.rung;
  if (from.trial_at)
    out.of.trial_at = moment(*from.trial_at);
  if (from.suspended_since)
    out.of.suspended_since = moment(*from.suspended_since);
  if (from.not_before)
    out.not_before = moment(*from.not_before);
  out.revision = from.revision;
  out.paused = from.paused;
  out.shedding = from.shedding;
  out.releasing = from.releasing;
  out.resuming = from.resuming;
  return out;
}

store::chunk_done model_database::hold(const asker& by,
                                       const actors::chunk_query& q) {
  tick();
  store::chunk_done out;
  out.upto = q.after;
  int many = 0;
  for (const auto& row : table_.look().rows) {
    if (row.endpoint != q.endpoint || row.id <= q.after || row.held
        || row.due > now())
      continue;
    if (++many > chunk)
      break;
    out.upto = row.id;
    if (!holds_lease(by, q.partition, q.epoch))
      continue;
    table_.hold(row.id, false);
    ++out.rows;
  }
  out.whole = many <= chunk;
  in_.rare("held by a statement", out.rows > 0);
  return out;
}

store::chunk_done model_database::cancel(const asker&,
                                         const actors::chunk_query& q) {
  // No endpoint is ever disabled here.
  return {q.after, 0, true};
}

void model_database::operate(std::int64_t endpoint, bool pause) {
  tick();
  auto& row = health_[endpoint];
  if (!pause && !row.paused)
    return;
  if (!pause) {
    const bool healthy = row.of.state == health_state::healthy;
    row.releasing = row.releasing || healthy;
    row.resuming = healthy;
  }
  row.paused = pause;
  row.revision = ++last_revision_;
  changed(endpoint);
  in_.seen.note(in_.now(), "operator", endpoint, pause);
}

bool model_database::paused(std::int64_t endpoint) const {
  return health_.at(endpoint).paused;
}

void model_database::rescue_held() {
  tick();
  std::set<std::int64_t> having;
  for (const auto& row : table_.look().rows)
    if (row.held)
      having.insert(row.endpoint);
  for (const auto id : having) {
    auto& row = health_[id];
    if (row.holds() || row.releasing)
      continue;
    row.releasing = true;
    row.revision = ++last_revision_;
    changed(id);
    in_.rare("rescued what was held");
  }
}

} // namespace postrider::testing
