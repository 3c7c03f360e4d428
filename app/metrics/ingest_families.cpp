#include "app/metrics/families.hpp"

namespace postrider::app::metrics {

void add_ingest(page& to, const sources& from) {
  const auto& calls = from.calls;
  const auto& engine = from.engine.state();
  const auto& stores = engine.meters.ingest;
  constexpr auto accepted = "postrider_events_accepted_total";
  to.counter(accepted, "Events stored that this node took over HTTP.",
             calls.accepted[0], {{"source", "api"}});
  to.counter(accepted, "", calls.accepted[1], {{"source", "batch"}});
  constexpr auto duplicate = "postrider_events_duplicate_total";
  to.counter(duplicate, "Events that were there already.", calls.duplicate_id,
             {{"reason", "id"}});
  to.counter(duplicate, "", calls.duplicate_key,
             {{"reason", "idempotency_key"}});
  for (std::size_t i = 0; i < api::refusal_codes.size(); ++i)
    to.counter("postrider_events_rejected_total",
               "Events, and calls with events, that were refused.",
               calls.refusals[i],
               {{"reason", std::string{api::refusal_codes[i]}}});
  to.counter("postrider_events_unmatched_total",
             "Accepted events that no endpoint wanted.", calls.unmatched);
  to.counter("postrider_deliveries_created_total",
             "Deliveries that came of the events this node accepted.",
             calls.created);
  to.histogram("postrider_event_payload_bytes", "Payloads of events.",
               stores.payload, as_it_is);
  to.gauge("postrider_ingest_queue_length",
           "Events that wait for their commit.",
           static_cast<double>(engine.ingest_queue));
  to.gauge("postrider_ingest_queue_limit",
           "At this length callers are refused.",
           static_cast<double>(from.limits().ingest_queue));
  to.histogram("postrider_ingest_batch_size", "Events in one commit.",
               stores.batch, as_it_is);
  to.histogram("postrider_ingest_commit_duration_seconds",
               "Time that a commit of events took.", stores.commit,
               nanoseconds);
}

} // namespace postrider::app::metrics
