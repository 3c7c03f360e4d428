#include "core/health.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace postrider {

namespace {

using namespace std::chrono_literals;
using span = health_policy::span;
using time_point = health::time_point;

constexpr std::array<std::string_view, 4> state_names{"healthy", "degraded",
                                                      "suspended", "disabled"};
constexpr std::array<std::string_view, 11> cause_names{
    "",        "threshold",          "failure_ratio", "auth_streak", "gone",
    "asked",   "schedule_exhausted", "max_suspended", "trial",       "idle",
    "operator"};

template <class Enum, std::size_t N>
std::optional<Enum> parse(const std::array<std::string_view, N>& names,
                          std::string_view text) {
  const auto at = std::ranges::find(names, text);
  if (at == names.end())
    return std::nullopt;
  return static_cast<Enum>(at - names.begin());
}

using named_policy = std::pair<std::string_view, health_policy>;

health_policy default_policy() {
  health_policy out;
  out.cooldowns = {5s, 15s, 1min, 5min, 20min, 1h, 4h};
  return out;
}

health_policy shop_policy() {
  auto out = default_policy();
  out.failure_ratio = 2; // by the streak alone
  out.cooldowns = {5min, 10min, 20min, 40min, 1h, 4h};
  out.shed = true;
  out.held_max = 10'000;
  return out;
}

const std::array<named_policy, 2>& policies() {
  static const std::array<named_policy, 2> all{
      {{"default", default_policy()}, {"shop", shop_policy()}}};
  return all;
}

span cooldown(const health_policy& by, int rung) {
  if (by.cooldowns.empty())
    return 0ms;
  const auto last = static_cast<int>(by.cooldowns.size()) - 1;
  return by.cooldowns[static_cast<std::size_t>(std::clamp(rung, 0, last))];
}

health to_healthy(health_cause why) {
  health out;
  out.cause = why;
  return out;
}

health to_degraded(health was, const health_policy& by, health_cause why,
                   time_point now) {
  was.state = health_state::degraded;
  was.cause = why;
  was.rung = 0;
  was.trial_at = now + cooldown(by, 0);
  was.auth_streak = 0;
  return was;
}

health to_suspended(health was, const health_policy& by, health_cause why,
                    time_point now) {
  // Whoever came by exhaustion stays at the top; a direct trip starts anew.
  was.rung = why == health_cause::schedule_exhausted
                 ? static_cast<int>(by.cooldowns.size())
                 : 0;
  was.state = health_state::suspended;
  was.cause = why;
  was.trial_at = now + cooldown(by, was.rung);
  was.suspended_since = was.suspended_since.value_or(now);
  was.auth_streak = 0;
  return was;
}

health trial_failed(health was, const health_policy& by, time_point now) {
  ++was.rung;
  if (was.state == health_state::degraded
      && was.rung >= static_cast<int>(by.cooldowns.size()))
    return to_suspended(std::move(was), by, health_cause::schedule_exhausted,
                        now);
  was.rung = std::min(was.rung, static_cast<int>(by.cooldowns.size()));
  was.trial_at = now + cooldown(by, was.rung);
  return was;
}

health trial_succeeded(health was, const health_policy& by, time_point now) {
  was.transient_streak = 0;
  if (was.state == health_state::degraded)
    return to_healthy(health_cause::trial);
  return to_degraded(std::move(was), by, health_cause::trial, now);
}

health judge_healthy(health was, const health_policy& by,
                     const health_sign& sign, bool ratio_reached,
                     time_point now) {
  switch (sign.effect) {
  case health_effect::clears:
    was.transient_streak = 0;
    was.auth_streak = 0;
    return was;
  case health_effect::transient:
    if (!sign.first)
      return was;
    if (++was.transient_streak >= by.degraded_after)
      return to_degraded(std::move(was), by, health_cause::threshold, now);
    if (ratio_reached)
      return to_degraded(std::move(was), by, health_cause::failure_ratio, now);
    return was;
  case health_effect::auth:
    if (++was.auth_streak >= by.auth_after)
      return to_suspended(std::move(was), by, health_cause::auth_streak, now);
    return was;
  case health_effect::rate_limited:
  case health_effect::none:
  case health_effect::gone: // seen to by the caller
    return was;
  }
  return was;
}

health judge_trial(health was, const health_policy& by, const health_sign& sign,
                   time_point now) {
  switch (sign.effect) {
  case health_effect::clears:
    return trial_succeeded(std::move(was), by, now);
  case health_effect::auth:
    if (was.state == health_state::degraded
        && ++was.auth_streak >= by.auth_after)
      return to_suspended(std::move(was), by, health_cause::auth_streak, now);
    return trial_failed(std::move(was), by, now);
  case health_effect::transient:
  case health_effect::rate_limited:
    return trial_failed(std::move(was), by, now);
  case health_effect::none:
  case health_effect::gone:
    return was; // the next one at once
  }
  return was;
}

} // namespace

std::string_view to_string(health_state state) {
  return state_names[static_cast<std::size_t>(state)];
}

std::optional<health_state> parse_health_state(std::string_view text) {
  return parse<health_state>(state_names, text);
}

std::string_view to_string(health_cause cause) {
  return cause_names[static_cast<std::size_t>(cause)];
}

std::optional<health_cause> parse_health_cause(std::string_view text) {
  return parse<health_cause>(cause_names, text);
}

const health_policy* find_health_policy(std::string_view name) {
  for (const auto& [known, policy] : policies())
    if (known == name)
      return &policy;
  return nullptr;
}

std::vector<std::string_view> health_policy_names() {
  std::vector<std::string_view> out;
  for (const auto& one : policies())
    out.push_back(one.first);
  return out;
}

failure_window::slice& failure_window::at(const health_policy& by,
                                          time_point now) {
  const auto width = std::max<span::rep>(by.ratio_window.count() / 10, 1);
  const auto number =
      std::chrono::duration_cast<span>(now.time_since_epoch()).count() / width;
  auto& out = slices_[number % 10];
  if (out.number != number)
    out = {number, 0, 0};
  return out;
}

bool failure_window::add(bool failed, const health_policy& by, time_point now) {
  auto& present = at(by, now);
  ++present.all;
  present.failed += failed;
  int all = 0;
  int bad = 0;
  for (const auto& one : slices_)
    // Above it stands what was counted by slices of another length.
    if (one.number > present.number - 10 && one.number <= present.number) {
      all += one.all;
      bad += one.failed;
    }
  return failed && all >= by.ratio_min && bad >= by.failure_ratio * all;
}

void failure_window::add_successes(int many, const health_policy& by,
                                   time_point now) {
  at(by, now).all += many;
}

health after_attempt(health was, const health_policy& by,
                     const health_sign& sign, bool ratio_reached,
                     time_point now) {
  if (was.state == health_state::disabled)
    return was;
  // Said of the endpoint, whichever attempt it was the answer to.
  if (sign.effect == health_effect::gone
      && (was.state != health_state::suspended || sign.trial)) {
    const auto why = sign.asked ? health_cause::asked : health_cause::gone;
    if (was.state == health_state::suspended)
      return trial_failed(std::move(was), by, now);
    return to_suspended(std::move(was), by, why, now);
  }
  if (was.state == health_state::healthy)
    return judge_healthy(std::move(was), by, sign, ratio_reached, now);
  return sign.trial ? judge_trial(std::move(was), by, sign, now) : was;
}

health after_idle(health was, const health_policy& by) {
  if (was.state != health_state::degraded)
    return was;
  auto out = to_healthy(health_cause::idle);
  // A pause in the traffic proves nothing: the first failure degrades again,
  // by whatever way it had come to be degraded.
  out.transient_streak = std::max(by.degraded_after - 1, 0);
  return out;
}

health after_time(health was, const health_policy& by, time_point now) {
  if (was.state != health_state::suspended || !was.suspended_since
      || now < *was.suspended_since + by.max_suspended)
    return was;
  health out;
  out.state = health_state::disabled;
  out.cause = health_cause::max_suspended;
  return out;
}

bool trial_due(const health& of, time_point now) {
  return holds(of.state) && now >= of.trial_at;
}

} // namespace postrider
