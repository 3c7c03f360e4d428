#include "core/retry_statuses.hpp"

#include <algorithm>
#include <optional>

namespace postrider {

namespace {

constexpr int lowest = 300;
constexpr int highest = 599;
constexpr std::size_t longest_expression = 1'000;
constexpr std::string_view example = "408,425,429,500-599,!501";

struct range {
  int first = lowest;
  int last = highest;
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t";
  auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Three digits, as every status has.
std::optional<int> read_status(std::string_view text) {
  if (text.size() != 3 || !std::ranges::all_of(text, is_digit))
    return std::nullopt;
  return (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
}

// As far as the form goes; the bounds are judged afterwards.
std::optional<range> read_range(std::string_view text) {
  if (text.size() == 3 && is_digit(text[0])
      && (text.substr(1) == "xx" || text.substr(1) == "XX")) {
    auto first = (text[0] - '0') * 100;
    return range{first, first + 99};
  }
  auto dash = text.find('-');
  if (dash == std::string_view::npos) {
    auto status = read_status(text);
    if (!status)
      return std::nullopt;
    return range{*status, *status};
  }
  auto from = text.substr(0, dash);
  auto to = text.substr(dash + 1);
  if (from.empty() && to.empty())
    return std::nullopt;
  range out;
  if (!from.empty()) {
    auto status = read_status(from);
    if (!status)
      return std::nullopt;
    out.first = *status;
  }
  if (!to.empty()) {
    auto status = read_status(to);
    if (!status)
      return std::nullopt;
    out.last = *status;
  }
  return out;
}

// What a caller sent goes back in one line and not at length.
std::string shown(std::string_view item) {
  constexpr std::size_t most = 20;
  std::string out{item.substr(0, most)};
  for (char& c : out)
    if (c < ' ' || c > '~')
      c = '?';
  return out + (item.size() > most ? "..." : "");
}

std::string refusal(int number, std::string_view item, std::string_view what) {
  return "item " + std::to_string(number) + ", \"" + shown(item) + "\", "
         + std::string{what} + "; write it like " + std::string{example};
}

status_set usual_set() {
  status_set out;
  for (int status : {404, 408, 425, 429})
    out.set(status);
  for (int status = 500; status <= 599; ++status)
    out.set(status);
  return out;
}

} // namespace

const status_set& usual_retry_statuses() {
  static const auto usual = usual_set();
  return usual;
}

std::variant<status_set, std::string>
parse_retry_statuses(std::string_view text) {
  if (trim(text).empty())
    return "empty: it has to name statuses, like " + std::string{example};
  if (text.size() > longest_expression)
    return "longer than " + std::to_string(longest_expression)
           + " characters; write ranges, like " + std::string{example};
  status_set in;
  status_set out;
  bool only_out = true;
  int number = 0;
  for (std::size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find(',', at), text.size());
    auto item = trim(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (item.empty())
      return refusal(number, item, "is empty");
    bool taken_out = item.front() == '!';
    auto span = read_range(item.substr(taken_out ? 1 : 0));
    if (!span)
      return refusal(number, item, "is no status, range or class");
    if (span->first < lowest || span->first > highest || span->last < lowest
        || span->last > highest)
      return refusal(number, item, "is not within 300 to 599");
    if (span->first > span->last)
      return refusal(number, item, "ends before it begins");
    only_out = only_out && taken_out;
    for (int status = span->first; status <= span->last; ++status)
      (taken_out ? out : in).set(status);
  }
  if (only_out)
    in = usual_retry_statuses();
  for (int status = lowest; status <= highest; ++status)
    if (out.has(status))
      in.set(status, false);
  return in;
}

} // namespace postrider
