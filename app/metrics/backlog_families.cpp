#include "app/metrics/families.hpp"

namespace postrider::app::metrics {

void add_backlog(page& to, const sources& from) {
  const auto& state = from.engine.state();
  to.gauge("postrider_window_deliveries",
           "Deliveries that this node has read and not yet settled.",
           static_cast<double>(state.in_window));
  to.gauge("postrider_window_limit", "How many it may be.",
           static_cast<double>(from.limits().window));
  to.gauge("postrider_window_bytes", "Their payloads.",
           static_cast<double>(state.window_bytes));
  to.gauge("postrider_outcomes_unwritten", "Outcomes that wait to be written.",
           static_cast<double>(state.unsettled));
  to.counter("postrider_deliveries_late_total",
             "Deliveries found behind the reader's cursor: their transaction "
             "took longer than others.",
             static_cast<double>(state.late));
  to.counter("postrider_deliveries_handed_over_total",
             "Deliveries that this node committed and began without reading "
             "them.",
             static_cast<double>(state.handed_over));
  const auto& sampled = state.meters.backlog;
  if (!sampled.known)
    return;
  constexpr auto open = "postrider_deliveries";
  to.gauge(open, "Open deliveries of the whole database, told by one node.",
           static_cast<double>(sampled.queued), {{"state", "queued"}});
  to.gauge(open, "", static_cast<double>(sampled.retrying),
           {{"state", "retrying"}});
  to.gauge(open, "", static_cast<double>(sampled.held), {{"state", "held"}});
  constexpr auto oldest = "postrider_delivery_oldest_due_age_seconds";
  to.gauge(oldest,
           "Since when the oldest delivery that could go out waits, told by "
           "one node.",
           static_cast<double>(sampled.oldest_queued_ms) / 1e3,
           {{"state", "queued"}});
  to.gauge(oldest, "", static_cast<double>(sampled.oldest_retrying_ms) / 1e3,
           {{"state", "retrying"}});
  to.gauge("postrider_database_retained_wal_bytes",
           "WAL that replication slots keep, told by one node.",
           static_cast<double>(sampled.retained_wal));
  constexpr auto ahead = "postrider_partition_ahead_seconds";
  constexpr double day = 86'400;
  to.gauge(ahead, "Time from today that has its partitions, told by one node.",
           static_cast<double>(sampled.event_days) * day, {{"table", "event"}});
  to.gauge(ahead, "", static_cast<double>(sampled.attempt_days) * day,
           {{"table", "attempt"}});
}

} // namespace postrider::app::metrics
