#include "core/http_date.hpp"

#include <array>

namespace postrider {

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;
using names = std::array<std::string_view, 7>;

constexpr names day_names{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr names long_day_names{"Monday", "Tuesday",  "Wednesday", "Thursday",
                               "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> month_names{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads a text from its front; the first thing that does not fit makes the
// whole a failure.
class scanner {
public:
  explicit scanner(std::string_view text) : rest_(text) {}

  bool done() const { return good_ && rest_.empty(); }

  void literal(std::string_view expected) {
    good_ = good_ && rest_.starts_with(expected);
    if (good_)
      rest_.remove_prefix(expected.size());
  }

  template <std::size_t Size>
  unsigned one_of(const std::array<std::string_view, Size>& words) {
    for (unsigned i = 0; i < Size; ++i) {
      if (rest_.starts_with(words[i])) {
        rest_.remove_prefix(words[i].size());
        return i;
      }
    }
    good_ = false;
    return 0;
  }

  // Exactly `width` digits; `padded` allows a space for the first.
  int number(std::size_t width, bool padded = false) {
    good_ = good_ && rest_.size() >= width;
    int value = 0;
    for (std::size_t i = 0; good_ && i < width; ++i) {
      if (padded && i == 0 && rest_[0] == ' ')
        continue;
      good_ = is_digit(rest_[i]);
      value = value * 10 + (rest_[i] - '0');
    }
    if (good_)
      rest_.remove_prefix(width);
    return value;
  }

  void fail() { good_ = false; }

private:
  std::string_view rest_;
  bool good_ = true;
};

struct date_fields {
  int year = 0;
  unsigned month = 0;
  int day = 0;
  seconds time{0};
};

seconds read_time(scanner& in) {
  int hour = in.number(2);
  in.literal(":");
  int minute = in.number(2);
  in.literal(":");
  int second = in.number(2);
  if (hour > 23 || minute > 59 || second > 60) // 60 is a leap second
    in.fail();
  return std::chrono::hours{hour} + std::chrono::minutes{minute}
         + seconds{second};
}

std::optional<sys_seconds> to_time(const date_fields& fields) {
  std::chrono::year_month_day date{
      std::chrono::year{fields.year}, std::chrono::month{fields.month},
      std::chrono::day{static_cast<unsigned>(fields.day)}};
  if (!date.ok())
    return std::nullopt;
  return std::chrono::sys_days{date} + fields.time;
}

// Thu, 01 Jan 2026 00:02:00 GMT
std::optional<sys_seconds> parse_imf_fixdate(std::string_view text) {
  scanner in{text};
  date_fields fields;
  in.one_of(day_names);
  in.literal(", ");
  fields.day = in.number(2);
  in.literal(" ");
  fields.month = in.one_of(month_names) + 1;
  in.literal(" ");
  fields.year = in.number(4);
  in.literal(" ");
  fields.time = read_time(in);
  in.literal(" GMT");
  return in.done() ? to_time(fields) : std::nullopt;
}

// Thursday, 01-Jan-26 00:02:00 GMT
std::optional<sys_seconds> parse_rfc850(std::string_view text,
                                        sys_seconds now) {
  scanner in{text};
  date_fields fields;
  in.one_of(long_day_names);
  in.literal(", ");
  fields.day = in.number(2);
  in.literal("-");
  fields.month = in.one_of(month_names) + 1;
  in.literal("-");
  fields.year = in.number(2);
  in.literal(" ");
  fields.time = read_time(in);
  in.literal(" GMT");
  if (!in.done())
    return std::nullopt;
  // RFC 9110, 5.6.7: what looks more than 50 years ahead lies in the past.
  std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  int this_year = static_cast<int>(today.year());
  fields.year += this_year - this_year % 100;
  if (fields.year > this_year + 50)
    fields.year -= 100;
  return to_time(fields);
}

// Thu Jan  1 00:02:00 2026
std::optional<sys_seconds> parse_asctime(std::string_view text) {
  scanner in{text};
  date_fields fields;
  in.one_of(day_names);
  in.literal(" ");
  fields.month = in.one_of(month_names) + 1;
  in.literal(" ");
  fields.day = in.number(2, true);
  in.literal(" ");
  fields.time = read_time(in);
  in.literal(" ");
  fields.year = in.number(4);
  return in.done() ? to_time(fields) : std::nullopt;
}

} // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text,
                                           sys_seconds now) {
  if (auto time = parse_imf_fixdate(text))
    return time;
  if (auto time = parse_rfc850(text, now))
    return time;
  return parse_asctime(text);
}

} // namespace postrider
