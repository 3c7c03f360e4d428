#include "app/metrics/families.hpp"

namespace postrider::app::metrics {

namespace {

constexpr auto attempts = "postrider_attempts_total";

void add_outcomes(page& to, const actors::settle_meters& from) {
  to.counter(attempts, "Attempts whose outcome this node has written.",
             from.succeeded,
             {{"outcome", "succeeded"}, {"error", ""}, {"code_class", "2xx"}});
  constexpr std::array classes{"other", "1xx", "2xx", "3xx", "4xx", "5xx"};
  for (std::size_t i = 0; i < classes.size(); ++i)
    to.counter(attempts, "", from.statuses[i],
               {{"outcome", "failed"},
                {"error", "status"},
                {"code_class", classes[i]}});
  for (std::size_t i = 1; i < from.errors.size(); ++i)
    to.counter(attempts, "", from.errors[i],
               {{"outcome", "failed"},
                {"error", std::string{postrider::to_string(
                              static_cast<attempt_error>(i))}},
                {"code_class", ""}});
  constexpr auto duration = "postrider_attempt_duration_seconds";
  constexpr auto help = "From the start of an attempt to its outcome.";
  to.histogram(duration, help, from.succeeded_duration, nanoseconds,
               {{"outcome", "succeeded"}});
  to.histogram(duration, help, from.failed_duration, nanoseconds,
               {{"outcome", "failed"}});
}

void add_retries(page& to, const actors::settle_meters& from) {
  for (std::size_t step = 0; step < from.retries.size(); ++step)
    for (std::size_t i = 0; i < from.retries[step].size(); ++i)
      // Only what was seen: there are many steps and many reasons.
      if (i == 0 || from.retries[step][i].value() > 0)
        to.counter("postrider_retries_scheduled_total",
                   "Retries put down, by the step of the ladder (10: that one "
                   "and later ones).",
                   from.retries[step][i],
                   {{"step", std::to_string(step + 1)},
                    {"reason", i == 0 ? "status"
                                      : std::string{postrider::to_string(
                                          static_cast<attempt_error>(i))}}});
}

} // namespace

void add_attempts(page& to, const sources& from) {
  const auto& all = from.engine.state().meters;
  add_outcomes(to, all.settle);
  add_retries(to, all.settle);
  to.gauge("postrider_attempts_in_flight",
           "Requests under way or waiting for a connection.",
           static_cast<double>(from.engine.connections().active));
  to.gauge("postrider_attempts_limit",
           "Connections that may be open; further requests wait.",
           static_cast<double>(from.limits().connections));
  std::uint64_t signatures = 0;
  distribution signing;
  for (const auto& one : all.partitions) {
    signatures += one.signed_v1.value();
    one.signing.add_to(signing);
  }
  to.counter("postrider_signatures_total", "Signatures made.",
             static_cast<double>(signatures), {{"scheme", "v1"}});
  to.histogram("postrider_signature_duration_seconds",
               "Time to make and sign the headers of an attempt.",
               quick_times::bounds(), signing, nanoseconds, {{"scheme", "v1"}});
}

} // namespace postrider::app::metrics
