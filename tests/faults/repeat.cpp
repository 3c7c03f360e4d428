#include "tests/faults/repeat.hpp"

#include <algorithm>

namespace postrider::testing {

namespace {

using kind = repeat::kind;

// A crash is noticed after it has happened, an arrival is noted after the last
// byte came: the two may be noted in the wrong order.
constexpr std::int64_t slack = 300'000;

bool happened(const history& of, const reception& before,
              const reception& again, std::initializer_list<const char*> what) {
  const auto from = before.arrival.at - slack;
  return std::any_of(
      of.marks.begin(), of.marks.end(), [&](const mark_line& one) {
        return std::find(what.begin(), what.end(), one.did) != what.end()
               && one.node == before.arrival.node && one.at <= again.arrival.at
               && std::max(one.at, one.until) >= from;
      });
}

/// A node that was paused between its last look at the lease and the first byte
/// sends what another one has sent meanwhile, as soon as it goes on.
bool went_on(const history& of, const reception& before,
             const reception& again) {
  constexpr std::int64_t at_once = 1'000'000;
  return std::any_of(
      of.marks.begin(), of.marks.end(), [&](const mark_line& one) {
        return one.did == "pause" && one.node == again.arrival.node
               && one.node != before.arrival.node
               && one.at <= before.arrival.at + slack
               && again.arrival.at <= one.until + at_once;
      });
}

/// The answer was sent when the attempt was over already, or may have been cut
/// off with the connection.
bool too_late(const reception& before, const attempt_line& stored) {
  if (stored.error.find("timeout") != std::string::npos)
    return before.status()->at + slack >= stored.ended;
  return before.decisions.back().did == "reset";
}

repeat next_attempt(const history& of, const reception& before,
                    const reception& again) {
  const auto* stored = of.attempt(before.arrival.id, before.arrival.attempt);
  if (!stored)
    return {kind::avoidable, "the attempt before has no stored outcome"};
  if (stored->outcome != "failed")
    return {kind::avoidable, "the attempt before is stored as a success"};
  const auto* sent = before.status();
  if (!sent)
    return {kind::u4, ""};
  const bool success = sent->status >= 200 && sent->status < 300;
  if (!success && stored->status == sent->status)
    return {kind::asked, ""};
  if (stored->status == 0 && too_late(before, *stored))
    return {kind::u4, ""};
  if (happened(of, before, again, {"pause"}))
    return {kind::u2, ""};
  // What stands there is how the same attempt ended when it was made anew,
  // though that time it may not have arrived.
  if (stored->started > before.arrival.at
      && happened(of, before, again, {"kill", "crash", "cut"}))
    return {kind::u1, ""};
  return {kind::avoidable,
          success ? "a success was answered in time and stored as a failure"
                  : "the stored status is not the one that was answered"};
}

repeat same_attempt(const history& of, const reception& before,
                    const reception& again) {
  if (happened(of, before, again, {"kill", "crash", "cut"}))
    return {kind::u1, ""};
  if (happened(of, before, again, {"pause"}) || went_on(of, before, again))
    return {kind::u2, ""};
  if (happened(of, before, again, {"failover"}))
    return {kind::u3, ""};
  if (!before.first_on_connection && before.silent()
      && again.first_on_connection)
    return {kind::stale, ""};
  return {kind::avoidable, "two arrivals with one attempt number"};
}

} // namespace

repeat judge_repeat(const history& of, const reception& before,
                    const reception& again) {
  if (again.arrival.attempt > before.arrival.attempt)
    return next_attempt(of, before, again);
  if (again.arrival.attempt == before.arrival.attempt)
    return same_attempt(of, before, again);
  return {kind::avoidable, "an earlier attempt arrived after a later one"};
}

} // namespace postrider::testing
