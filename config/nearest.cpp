#include "config/nearest.hpp"

#include <algorithm>
#include <vector>

namespace postrider::config {

namespace {

/// Edits (insert, delete, change, swap neighbours) from `a` to `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

} // namespace

std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string> known) {
  if (word.size() > 64)
    return std::nullopt;
  if (word.size() >= 3)
    for (const auto& candidate : known)
      if (candidate.starts_with(word))
        return candidate;
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    const auto edits = distance(word, candidate);
    if (edits < best_distance) {
      best = &candidate;
      best_distance = edits;
    }
  }
  if (!best)
    return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word,
                         std::span<const std::string> known) {
  const auto found = nearest(word, known);
  return found ? " (did you mean " + *found + "?)" : "";
}

} // namespace postrider::config
