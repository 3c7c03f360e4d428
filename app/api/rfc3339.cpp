#include "app/api/rfc3339.hpp"

#include <algorithm>
#include <charconv>

namespace postrider::api {

namespace {

using namespace std::chrono;

/// Takes exactly `size` digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t size) {
  auto digits = text.substr(0, size);
  if (digits.size() != size
      || !std::all_of(digits.begin(), digits.end(),
                      [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  int number = 0;
  std::from_chars(digits.data(), digits.data() + size, number);
  text.remove_prefix(size);
  return number;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == any_of.npos)
    return false;
  text.remove_prefix(1);
  return true;
}

std::optional<milliseconds> take_fraction(std::string_view& text) {
  if (!take(text, "."))
    return milliseconds{0};
  auto size = std::min(text.find_first_not_of("0123456789"), text.size());
  if (size == 0 || size > 12)
    return {};
  auto digits = std::string{text.substr(0, std::min<std::size_t>(size, 3))};
  digits.resize(3, '0');
  text.remove_prefix(size);
  return milliseconds{std::stoi(digits)};
}

std::optional<minutes> take_offset(std::string_view& text) {
  if (take(text, "Zz"))
    return minutes{0};
  bool behind = text.starts_with('-');
  if (!take(text, "+-"))
    return {};
  auto hour = take_number(text, 2);
  auto colon = take(text, ":");
  auto minute = take_number(text, 2);
  if (!hour || !colon || !minute || *hour > 23 || *minute > 59)
    return {};
  auto offset = hours{*hour} + minutes{*minute};
  return behind ? -offset : offset;
}

} // namespace

std::string to_rfc3339(time_ms time) {
  auto day = floor<days>(time);
  year_month_day date{day};
  hh_mm_ss clock{time - day};
  std::string out = "0000-00-00T00:00:00.000Z";
  auto put = [&out](std::size_t at, std::size_t width, long long value) {
    for (auto i = at + width; i-- > at; value /= 10)
      out[i] = static_cast<char>('0' + value % 10);
  };
  put(0, 4, int{date.year()});
  put(5, 2, unsigned{date.month()});
  put(8, 2, unsigned{date.day()});
  put(11, 2, clock.hours().count());
  put(14, 2, clock.minutes().count());
  put(17, 2, clock.seconds().count());
  put(20, 3, clock.subseconds().count());
  return out;
}

std::optional<time_ms> parse_rfc3339(std::string_view text) {
  auto y = take_number(text, 4);
  auto dash = take(text, "-");
  auto mo = take_number(text, 2);
  auto dash2 = take(text, "-");
  auto d = take_number(text, 2);
  auto t = take(text, "Tt ");
  auto h = take_number(text, 2);
  auto colon = take(text, ":");
  auto mi = take_number(text, 2);
  auto colon2 = take(text, ":");
  auto s = take_number(text, 2);
  if (!y || !dash || !mo || !dash2 || !d || !t || !h || !colon || !mi || !colon2
      || !s || *h > 23 || *mi > 59 || *s > 60)
    return {};
  auto fraction = take_fraction(text);
  auto offset = take_offset(text);
  year_month_day date{year{*y}, month{static_cast<unsigned>(*mo)},
                      day{static_cast<unsigned>(*d)}};
  if (!fraction || !offset || !text.empty() || !date.ok())
    return {};
  auto time = sys_days{date} + hours{*h} + minutes{*mi} + seconds{*s}
              + *fraction - *offset;
  if (time < time_ms{})
    return {};
  return time;
}

} // namespace postrider::api
