#include "core/retry.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

// Retry policies as endpoints hold them.

namespace postrider {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::size_t most_waits = 50;
constexpr int most_attempts = 100;
constexpr int highest_factor = 200; // in percent
constexpr milliseconds least_max_age = 96h;
constexpr milliseconds longest_max_age = 365 * 24h;
constexpr std::size_t longest_shown = 40;

/// What a text says, each part as it was given.
struct parts {
  std::vector<milliseconds> waits;
  std::optional<int> attempts;
  std::optional<std::pair<int, int>> factors;
  std::optional<milliseconds> max_age;
};

using result = std::optional<retry_fault>;

retry_fault fault(std::string_view field, std::string what) {
  return {std::string{field}, std::move(what)};
}

std::string quoted(std::string_view text) {
  std::string out{"`"};
  out.append(text.substr(0, longest_shown));
  out += text.size() > longest_shown ? "…`" : "`";
  return out;
}

std::optional<int> whole(std::string_view text, int low, int high) {
  int number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number < low || number > high)
    return std::nullopt;
  return number;
}

/// In the two largest units, rounded up to the second where it is that long.
std::string shown(milliseconds span) {
  if (span < 1s)
    return std::to_string(span.count()) + "ms";
  auto left = (span + 999ms) / 1s;
  std::string out;
  int units = 0;
  for (const auto& [size, unit] :
       {std::pair{std::int64_t{3600}, "h"}, std::pair{std::int64_t{60}, "m"},
        std::pair{std::int64_t{1}, "s"}}) {
    if (left < size || units == 2)
      continue;
    out += (out.empty() ? "" : " ") + std::to_string(left / size) + unit;
    left %= size;
    ++units;
  }
  return out;
}

/// The least age, in a handy unit, that is not below `span`.
std::string age_above(milliseconds span) {
  if (span <= 2min)
    return std::to_string((span + 999ms) / 1s) + "s";
  if (span <= 2h)
    return std::to_string((span + 1min - 1ms) / 1min) + "m";
  return std::to_string((span + 1h - 1ms) / 1h) + "h";
}

result read_attempts(std::string_view text, parts& into) {
  into.attempts = whole(text, 1, most_attempts);
  if (into.attempts)
    return std::nullopt;
  return fault("attempts", quoted(text)
                               + " is no number of attempts: 1 to 100, such as "
                                 "attempts=7");
}

result read_jitter(std::string_view text, parts& into) {
  const auto wrong = [&] {
    return fault("jitter",
                 quoted(text)
                     + " is no jitter: write jitter=20% (up to 100%), or the "
                       "range of the factor, jitter=50-150% (0 to 200)");
  };
  if (!text.ends_with('%'))
    return wrong();
  const auto number = text.substr(0, text.size() - 1);
  const auto dash = number.find('-');
  if (dash == number.npos) {
    const auto spread = whole(number, 0, 100);
    if (!spread)
      return wrong();
    into.factors = {100 - *spread, 100 + *spread};
    return std::nullopt;
  }
  const auto low = whole(number.substr(0, dash), 0, highest_factor);
  const auto high = whole(number.substr(dash + 1), 0, highest_factor);
  if (!low || !high || *low > *high)
    return wrong();
  into.factors = {*low, *high};
  return std::nullopt;
}

result read_max_age(std::string_view text, parts& into) {
  into.max_age = parse_duration(text, longest_max_age);
  if (into.max_age && *into.max_age >= 1s)
    return std::nullopt;
  return fault("max_age",
               quoted(text) + " is no age: 1s to 365d, such as max_age=24h");
}

result read_option(std::string_view name, std::string_view text, parts& into) {
  const auto once = [&](bool given, auto read) -> result {
    if (given)
      return fault(name, "`" + std::string{name} + "=` is given twice");
    return read(text, into);
  };
  if (name == "attempts")
    return once(into.attempts.has_value(), read_attempts);
  if (name == "jitter")
    return once(into.factors.has_value(), read_jitter);
  if (name == "max_age")
    return once(into.max_age.has_value(), read_max_age);
  return fault("", quoted(name)
                       + " is no option of a retry policy: attempts=7, "
                         "jitter=20% and max_age=24h are");
}

std::string policy_names() {
  std::string out;
  for (const auto name : retry_policy_names())
    out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

result read_wait(std::string_view text, parts& into) {
  const auto wait = parse_duration(text);
  if (!wait && (text[0] < '0' || text[0] > '9'))
    return fault("waits", quoted(text) + " is no policy (" + policy_names()
                              + ") and no wait such as 30s, 5m or 2h");
  if (!wait)
    return fault("waits", quoted(text)
                              + " is no wait: 1ms to 30d, such as 30s, 5m or "
                                "2h, with blanks between them");
  if (into.waits.size() == most_waits)
    return fault("waits", "there are more than 50 waits: the last one repeats "
                          "up to attempts=");
  into.waits.push_back(*wait);
  return std::nullopt;
}

result read_parts(std::string_view text, parts& into) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    const auto equals = word.find('=');
    auto wrong = equals == word.npos
                     ? read_wait(word, into)
                     : read_option(word.substr(0, equals),
                                   word.substr(equals + 1), into);
    if (wrong)
      return wrong;
    at = end;
  }
  return std::nullopt;
}

retry_policy assemble(parts from) {
  retry_policy out;
  milliseconds sum{0};
  for (const auto wait : from.waits)
    sum += wait;
  out.max_attempts =
      from.attempts.value_or(static_cast<int>(from.waits.size()) + 1);
  if (from.factors) {
    out.jitter_low = from.factors->first / 100.0;
    out.jitter_high = from.factors->second / 100.0;
  }
  out.max_age = from.max_age.value_or(std::max(least_max_age, 2 * sum));
  out.waits = std::move(from.waits);
  return out;
}

retry_fault too_slow(const retry_policy& policy) {
  const auto worst = slowest(policy);
  return fault("max_age",
               "its waits come to " + shown(worst)
                   + " at the slowest and max_age is " + shown(policy.max_age)
                   + ", so that its last attempts could never be made: write "
                   + (worst <= longest_max_age
                          ? "max_age=" + age_above(worst) + ", or "
                          : "")
                   + "fewer or shorter waits");
}

} // namespace

std::variant<retry_policy, retry_fault>
read_retry_policy(std::string_view text) {
  if (const auto* named = find_retry_policy(text))
    return *named;
  parts given;
  if (auto wrong = read_parts(text, given))
    return *std::move(wrong);
  if (given.waits.empty() && given.attempts != 1)
    return fault("waits", "there is no wait: list them, such as 5s 30s 5m, or "
                          "write attempts=1 for no retry at all");
  auto policy = assemble(std::move(given));
  if (slowest(policy) > policy.max_age)
    return too_slow(policy);
  return policy;
}

std::optional<retry_policy> parse_retry_policy(std::string_view text) {
  auto read = read_retry_policy(text);
  if (auto* policy = std::get_if<retry_policy>(&read))
    return std::move(*policy);
  return std::nullopt;
}

} // namespace postrider
