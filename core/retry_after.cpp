#include "core/http_date.hpp"
#include "core/outcome.hpp"

#include <algorithm>

namespace postrider {

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

// Larger counts mean the same to every caller, and stay far from overflow.
constexpr std::int64_t most_seconds = 10'000'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t";
  auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

} // namespace

std::optional<seconds> parse_retry_after(std::string_view value,
                                         sys_seconds now) {
  auto text = trim(value);
  if (text.empty())
    return std::nullopt;
  if (std::ranges::all_of(text, is_digit)) {
    std::int64_t count = 0;
    for (char c : text)
      count = std::min(count * 10 + (c - '0'), most_seconds);
    return seconds{count};
  }
  auto time = parse_http_date(text, now);
  if (!time)
    return std::nullopt;
  return std::max(seconds{0}, *time - now);
}

} // namespace postrider
