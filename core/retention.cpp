#include "core/retention.hpp"

#include <algorithm>

namespace postrider {

using std::chrono::milliseconds;

milliseconds longer(milliseconds one, milliseconds other) {
  if (one.count() == 0 || other.count() == 0)
    return milliseconds{0};
  return std::max(one, other);
}

milliseconds attempts_kept(const retention_rules& rules) {
  return longer(rules.attempts, rules.dead_letters);
}

std::optional<day> first_kept(std::chrono::sys_time<milliseconds> now,
                              milliseconds span) {
  if (span.count() == 0)
    return std::nullopt;
  return std::chrono::floor<std::chrono::days>(now - span);
}

std::vector<day> past_days(std::vector<day> all, std::optional<day> first) {
  if (!first)
    return {};
  std::erase_if(all, [&](day one) { return one >= *first; });
  std::sort(all.begin(), all.end());
  return all;
}

} // namespace postrider
