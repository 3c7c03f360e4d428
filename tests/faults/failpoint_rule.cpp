#include "tests/faults/failpoint_rule.hpp"

#include <regex>
#include <stdexcept>
#include <utility>

namespace postrider::testing {

namespace {

using action = failpoint_rule::action;

constexpr std::pair<std::string_view, action> actions[] = {
    {"crash", action::crash}, {"hang", action::hang},  {"sleep", action::sleep},
    {"stall", action::stall}, {"throw", action::fail}, {"error", action::error},
    {"drop", action::drop}};

failpoint_rule parse_one(const std::string& text) {
  static const std::regex form{
      R"(([a-z0-9_.]+)=([a-z]+)(?:\(([0-9.]+)(?:,([0-9]+))?(?:,([0-9]+))?\))?)"};
  std::smatch part;
  if (std::regex_match(text, part, form))
    for (const auto& [word, what] : actions)
      if (part[2].str() == word) {
        failpoint_rule out;
        out.name = part[1];
        out.what = what;
        out.chance = part[3].matched ? std::stod(part[3]) : 1;
        out.from = part[4].matched ? std::stoull(part[4]) : 1;
        out.amount = part[5].matched ? std::stoull(part[5]) : 0;
        return out;
      }
  throw std::invalid_argument{
      "failpoint \"" + text
      + "\": write name=action(chance,from,amount) with crash, hang, sleep, "
        "stall, throw, error or drop"};
}

} // namespace

bool failpoint_rule::hit(std::mt19937_64& dice) {
  ++hits;
  if (hits < from || std::uniform_real_distribution<>{}(dice) >= chance)
    return false;
  if (what == action::stall
          ? struck > 0
          : what != action::sleep && amount > 0 && struck >= amount)
    return false;
  ++struck;
  return true;
}

std::vector<failpoint_rule> parse_failpoints(std::string_view text) {
  std::vector<failpoint_rule> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size());
    if (end > 0)
      out.push_back(parse_one(std::string{text.substr(0, end)}));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

} // namespace postrider::testing
