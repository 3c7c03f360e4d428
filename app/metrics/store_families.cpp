#include "app/metrics/families.hpp"

#include <algorithm>
#include <bit>

namespace postrider::app::metrics {

namespace {

/// Each store actor has one connection, and so have these two.
bool has_connection(std::string_view kind) {
  return kind.ends_with("_store") || kind == "sampler";
}

void add_connections(page& to, const sources& from) {
  std::size_t all = 0;
  std::size_t busy = 0;
  for (const auto& kind : from.engine.actors())
    if (has_connection(kind.kind)) {
      all += kind.instances;
      busy += kind.busy;
    }
  const auto down =
      static_cast<std::size_t>(from.engine.state().meters.store.broken);
  const auto broken = std::min(all, down);
  busy = std::min(busy, all - broken);
  constexpr auto name = "postrider_storage_connections";
  to.gauge(name, "Connections to the database.",
           static_cast<double>(all - broken - busy), {{"state", "idle"}});
  to.gauge(name, "", static_cast<double>(busy), {{"state", "busy"}});
  to.gauge(name, "", static_cast<double>(broken), {{"state", "broken"}});
}

} // namespace

void add_retention(page& to, const sources& from) {
  const auto& of = from.engine.state().meters.upkeep;
  constexpr auto dropped = "postrider_retention_drops_total";
  to.counter(dropped,
             "Time partitions, of a day each, that this node has dropped.",
             of.dropped_event_days, {{"table", "event"}});
  to.counter(dropped, "", of.dropped_attempt_days, {{"table", "attempt"}});
  to.counter("postrider_retention_dropped_keys_total",
             "Idempotency keys that this node has dropped.", of.dropped_keys);
  to.counter("postrider_retention_failures_total",
             "Looks for what can be dropped that failed.", of.failed);
  constexpr double day = 86'400;
  constexpr auto overdue = "postrider_retention_overdue_seconds";
  to.gauge(
      overdue,
      "Days, together, that are past their time and still there: something "
      "needs them, or they could not be dropped.",
      static_cast<double>(of.overdue_event_days) * day, {{"table", "event"}});
  to.gauge(overdue, "", static_cast<double>(of.overdue_attempt_days) * day,
           {{"table", "attempt"}});
  constexpr auto oldest = "postrider_retention_oldest_timestamp_seconds";
  to.gauge(oldest, "When the oldest day began that is kept.",
           static_cast<double>(of.oldest_event_seconds), {{"table", "event"}});
  to.gauge(oldest, "", static_cast<double>(of.oldest_attempt_seconds),
           {{"table", "attempt"}});
}

void add_leases(page& to, const sources& from) {
  const auto& state = from.engine.state();
  const auto& of = state.meters.lease;
  to.gauge("postrider_leases", "Partitions that this node holds.",
           static_cast<double>(state.partitions));
  constexpr auto moves = "postrider_lease_transitions_total";
  to.counter(moves, "What became of leases.", of.acquired,
             {{"kind", "acquired"}});
  to.counter(moves, "", of.renewed, {{"kind", "renewed"}});
  to.counter(moves, "", of.lost, {{"kind", "lost"}});
  to.counter(moves, "", of.released, {{"kind", "released"}});
  to.gauge("postrider_partitions_careful",
           "Partitions of this node that are driven carefully, after crashes.",
           static_cast<double>(of.careful));
}

void add_store(page& to, const sources& from) {
  const auto& of = from.engine.state().meters.store;
  add_connections(to, from);
  to.gauge("postrider_storage_up", "1 while the database answers.",
           from.engine.state().storage_up ? 1 : 0);
  to.counter("postrider_storage_rings_total",
             "Wake-ups that other nodes and producers have sent.", of.rings);
  to.gauge("postrider_storage_unsafe_settings",
           "Settings of the database that may lose what was accepted.",
           std::popcount(from.engine.state().unsafe_settings.load()));
  to.histogram("postrider_storage_wait_duration_seconds",
               "Time that calls waited for their turn on a connection.",
               of.wait, nanoseconds);
  for (std::size_t i = 0; i < of.duration.size(); ++i)
    to.histogram("postrider_storage_query_duration_seconds",
                 "Time that the database took for a question.", of.duration[i],
                 nanoseconds,
                 {{"query", std::string{actors::store_query_names[i]}}});
  to.histogram(
      "postrider_claim_duration_seconds",
      "Time to read deliveries, without their payloads.",
      of.duration[static_cast<std::size_t>(actors::store_query::claim)],
      nanoseconds);
  for (std::size_t i = 0; i < of.errors.size(); ++i)
    to.counter("postrider_storage_errors_total",
               "Questions to the database that failed.", of.errors[i],
               {{"class", std::string{store::error_class_names[i]}}});
}

} // namespace postrider::app::metrics
