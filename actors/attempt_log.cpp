#include "actors/attempt_log.hpp"

#include "core/public_id.hpp"
#include "core/wire.hpp"

#include <string>

namespace postrider::actors {

namespace {

constexpr std::string_view component = "partition";

log_fields about(const work& what, const attempt_result* result,
                 std::chrono::milliseconds duration) {
  log_fields out;
  out.event = event_public_id(what.row.event);
  out.delivery = webhook_id(what.row);
  if (what.to)
    out.endpoint = endpoint_public_id(what.to->public_id);
  out.attempt = what.row.attempts;
  if (result) {
    out.error = to_string(result->error);
    out.duration = duration;
  }
  return out;
}

std::string answer_of(const attempt_result& result) {
  return result.status ? "answered " + std::to_string(*result.status)
                       : std::string{"gave no answer"};
}

} // namespace

void write_attempt(const log_sink& log, const work& what,
                   const settlement_plan& plan, const attempt_result* result,
                   std::chrono::milliseconds duration) {
  const auto fields = about(what, result, duration);
  if (result)
    log(level::debug, component, "the receiver " + answer_of(*result), fields);
  if (plan.state == delivery_state::failed)
    log(level::info, component,
        "a delivery failed for good: " + std::string{to_string(plan.reason)},
        fields);
}

} // namespace postrider::actors
