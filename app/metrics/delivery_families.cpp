#include "app/metrics/families.hpp"
#include "core/outcome.hpp"

namespace postrider::app::metrics {

namespace {

constexpr std::array outcomes{"succeeded", "failed", "cancelled"};

void add_deferrals(page& to, const actors::engine_meters& from) {
  std::uint64_t stopping = 0;
  std::uint64_t resources = 0;
  std::uint64_t silent = 0;
  for (const auto& one : from.partitions) {
    stopping += one.deferred_stopping.value();
    resources += one.deferred_resources.value();
    silent += one.duplicates_silent.value();
  }
  constexpr auto deferrals = "postrider_deferrals_total";
  to.counter(deferrals, "Attempts put off before a request went out.",
             static_cast<double>(resources), {{"reason", "local_resources"}});
  to.counter(deferrals, "", static_cast<double>(stopping),
             {{"reason", "stopping"}});
  to.counter(deferrals, "", from.health.ours, {{"reason", "outage"}});
  to.counter(deferrals, "", from.health.held, {{"reason", "held"}});
  to.counter(deferrals, "", from.health.refused_rate,
             {{"reason", "endpoint_rate"}});
  to.counter(deferrals, "", from.health.refused_tenant,
             {{"reason", "tenant_limit"}});
  constexpr auto duplicates = "postrider_possible_duplicates_total";
  to.counter(duplicates,
             "Requests that went out and may go out again: their outcome is "
             "not on record.",
             from.settle.duplicates_fenced, {{"cause", "lease_expired"}});
  to.counter(duplicates, "", static_cast<double>(silent),
             {{"cause", "no_answer"}});
}

} // namespace

void add_deliveries(page& to, const sources& from) {
  const auto& all = from.engine.state().meters;
  const auto& settled = all.settle;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    to.counter("postrider_deliveries_finished_total",
               "Deliveries whose end this node has written.",
               settled.finished[i], {{"outcome", outcomes[i]}});
    for (std::size_t first = 0; first < 2; ++first)
      to.histogram(
          "postrider_delivery_duration_seconds",
          "From the acceptance of the event to the end.",
          settled.lifetime[i][first], nanoseconds,
          {{"outcome", outcomes[i]}, {"first_try", first == 1 ? "yes" : "no"}});
  }
  for (std::size_t i = 1; i < settled.failed.size(); ++i)
    to.counter("postrider_dead_letters_total",
               "Deliveries that failed for good.", settled.failed[i],
               {{"reason", std::string{postrider::to_string(
                               static_cast<end_reason>(i))}}});
  to.counter("postrider_fence_lost_total",
             "Outcomes that came after their lease was lost, or again.",
             settled.fenced);
  to.histogram("postrider_claim_batch_size", "Deliveries read at once.",
               all.read.batch, as_it_is);
  to.histogram("postrider_delivery_schedule_lag_seconds",
               "From the time that a delivery was due to its reading.",
               all.read.lag, nanoseconds);
  add_deferrals(to, all);
}

} // namespace postrider::app::metrics
