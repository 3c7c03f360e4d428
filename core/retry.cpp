#include "core/retry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace postrider {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds longest_wait = 30 * 24h;

using named_policy = std::pair<std::string_view, retry_policy>;

const std::array<named_policy, 4>& policies() {
  static const std::array<named_policy, 4> all{{
      {"default",
       {{5s, 30s, 5min, 30min, 2h, 5h, 10h, 14h, 20h, 24h}, 11, 0.8, 1.2, 96h}},
      {"shop", {{5s, 30s, 5min, 30min, 4h}, 6, 1.0, 1.0, 7 * 24h}},
      {"railhook-out", {{1min, 5min, 15min, 1h, 6h, 24h}, 7, 0.5, 1.5, 96h}},
      // The last rung serves an endpoint that raises its count (S3.60).
      {"railhook-in", {{1min, 5min, 15min, 1h, 6h}, 5, 0.5, 1.5, 24h}},
  }};
  return all;
}

std::optional<milliseconds> unit_of(std::string_view text) {
  if (text == "ms")
    return 1ms;
  if (text == "s")
    return 1s;
  if (text == "m")
    return 1min;
  if (text == "h")
    return 1h;
  if (text == "d")
    return 24h;
  return std::nullopt;
}

} // namespace

const retry_policy* find_retry_policy(std::string_view name) {
  for (const auto& [known, policy] : policies())
    if (known == name)
      return &policy;
  return nullptr;
}

std::vector<std::string_view> retry_policy_names() {
  std::vector<std::string_view> names;
  for (const auto& entry : policies())
    names.push_back(entry.first);
  return names;
}

milliseconds slowest(const retry_policy& policy) {
  milliseconds sum{0};
  for (int made = 1; auto wait = next_wait(policy, made, 1.0); ++made)
    sum += *wait;
  return sum;
}

std::optional<milliseconds> parse_duration(std::string_view text) {
  return parse_duration(text, longest_wait);
}

std::optional<milliseconds> parse_duration(std::string_view text,
                                           milliseconds longest) {
  const auto* end = text.data() + text.size();
  std::uint64_t count = 0; // unsigned: refuses a sign
  auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{})
    return std::nullopt;
  auto unit = unit_of({rest, static_cast<std::size_t>(end - rest)});
  if (!unit || count == 0
      || count > static_cast<std::uint64_t>(longest / *unit))
    return std::nullopt;
  return *unit * static_cast<std::int64_t>(count);
}

std::optional<milliseconds> next_wait(const retry_policy& policy, int made,
                                      double random) {
  if (made < 1 || made >= policy.max_attempts || policy.waits.empty())
    return std::nullopt;
  auto rung = std::min(static_cast<std::size_t>(made), policy.waits.size());
  auto base = policy.waits[rung - 1];
  auto factor =
      policy.jitter_low + (policy.jitter_high - policy.jitter_low) * random;
  auto wait = static_cast<double>(base.count()) * factor;
  return milliseconds{std::llround(std::max(wait, 0.0))};
}

} // namespace postrider
