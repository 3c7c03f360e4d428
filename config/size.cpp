#include "config/size.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

namespace postrider::config {

namespace {

using unit = std::pair<std::string_view, std::int64_t>;
constexpr std::array<unit, 4> sizes{
    unit{"GiB", 1LL << 30}, {"MiB", 1LL << 20}, {"KiB", 1LL << 10}, {"B", 1}};
constexpr std::array<unit, 5> durations{unit{"d", 86'400'000},
                                        {"h", 3'600'000},
                                        {"m", 60'000},
                                        {"s", 1'000},
                                        {"ms", 1}};

template <std::size_t N>
std::string render(std::int64_t value, const std::array<unit, N>& units) {
  for (const auto& [name, factor] : units)
    if (value != 0 && value % factor == 0)
      return fmt::format("{}{}", value / factor, name);
  return fmt::format("0{}", units.back().first);
}

} // namespace

std::optional<std::size_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{})
    return std::nullopt;
  const std::string_view suffix{stop, static_cast<std::size_t>(end - stop)};
  for (const auto& [name, factor] : sizes) {
    if (suffix != name)
      continue;
    const auto wide = static_cast<std::uint64_t>(factor);
    if (number > std::numeric_limits<std::int64_t>::max() / wide)
      return std::nullopt;
    return number * wide;
  }
  return std::nullopt;
}

std::string render_size(std::size_t bytes) {
  return render(static_cast<std::int64_t>(bytes), sizes);
}

std::string render_duration(std::chrono::milliseconds wait) {
  return render(wait.count(), durations);
}

} // namespace postrider::config
