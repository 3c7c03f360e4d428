#include "app/metrics/families.hpp"
#include "core/health.hpp"

namespace postrider::app::metrics {

namespace {

void add_sampled(page& to, const actors::backlog_gauges& sampled) {
  if (!sampled.known)
    return;
  constexpr auto endpoints = "postrider_endpoints";
  to.gauge(endpoints,
           "Endpoints that are not healthy or paused, told by one node.",
           static_cast<double>(sampled.degraded), {{"health", "degraded"}});
  to.gauge(endpoints, "", static_cast<double>(sampled.suspended),
           {{"health", "suspended"}});
  to.gauge(endpoints, "", static_cast<double>(sampled.disabled),
           {{"health", "disabled"}});
  to.gauge(endpoints, "", static_cast<double>(sampled.paused),
           {{"health", "paused"}});
}

} // namespace

void add_health(page& to, const sources& from) {
  const auto& all = from.engine.state().meters;
  const auto& health = all.health;
  to.gauge("postrider_breakers", "Endpoints with traffic on this node.",
           static_cast<double>(health.breakers));
  for (std::size_t i = 0; i < health.entered.size(); ++i)
    to.counter("postrider_endpoint_transitions_total",
               "Changes of an endpoint's health that this node decided.",
               health.entered[i],
               {{"to", std::string{postrider::to_string(
                           static_cast<health_state>(i))}}});
  to.counter("postrider_endpoint_trials_total",
             "Held deliveries that were sent to see how their endpoint is.",
             health.trials);
  to.counter("postrider_endpoint_pauses_total",
             "Answers whose Retry-After paused the whole endpoint.",
             health.pauses);
  constexpr auto held = "postrider_deliveries_held_total";
  to.counter(held, "Deliveries that were put aside for their endpoint.",
             health.held, {{"how", "as_read"}});
  to.counter(held, "", health.flipped, {{"how", "in_chunks"}});
  to.counter("postrider_held_trimmed_total",
             "Held deliveries that ended as too old or too many.",
             health.trimmed);
  to.counter("postrider_held_rescued_total",
             "Endpoints of which something was held without a reason.",
             health.rescued);
  add_sampled(to, all.backlog);
}

} // namespace postrider::app::metrics
