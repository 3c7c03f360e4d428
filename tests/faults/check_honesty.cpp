// I9, I10: the rows say what has happened.
#include "tests/faults/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace postrider::testing {

namespace {

// Between the moment that a trigger notes and the commit it belongs to.
constexpr std::int64_t slack = 50'000;

const reception* arrival_of(const history& of, const attempt_line& one) {
  const auto place = of.receptions().find(one.id);
  if (place == of.receptions().end())
    return nullptr;
  const auto found = std::find_if(place->second.begin(), place->second.end(),
                                  [&](const reception& each) {
                                    return each.arrival.attempt == one.number;
                                  });
  return found == place->second.end() ? nullptr : &*found;
}

bool succeeded(const attempt_line& one) {
  return one.sent && one.outcome == "succeeded";
}

void check_open(const history& of, verdict& out) {
  for (const auto& one : of.open) {
    ++out.looked_at;
    if (!one.due)
      out.offend(fmt::format("{} is {} without a due time", one.id, one.state));
  }
}

void check_attempts(const history& of, verdict& out) {
  std::set<std::pair<std::string, int>> numbers;
  std::set<std::string> ended;
  for (const auto& one : of.attempts) {
    ++out.looked_at;
    if (succeeded(one) && !arrival_of(of, one))
      out.offend(fmt::format("{} attempt {} is a success that never arrived",
                             one.id, one.number));
    if (one.sent && !numbers.insert({one.id, one.number}).second)
      out.offend(
          fmt::format("{} attempt {} is stored twice", one.id, one.number));
    if (one.last && !ended.insert(one.id).second)
      out.offend(fmt::format("{} ended twice", one.id));
  }
}

void check_arrivals(const history& of, verdict& out) {
  std::map<std::string, int> open;
  for (const auto& one : of.open)
    open[one.id] = one.attempts;
  for (const auto& [id, all] : of.receptions())
    for (const auto& one : all) {
      ++out.looked_at;
      const auto waits = open.find(id);
      const bool unknown =
          waits != open.end() && waits->second == one.arrival.attempt;
      if (!unknown && !of.attempt(id, one.arrival.attempt))
        out.offend(fmt::format("{} attempt {} arrived and is not on record", id,
                               one.arrival.attempt));
    }
}

/// Who held a partition around a moment.
bool held(const history& of, const written_line& one) {
  std::string before;
  for (const auto& each : of.fences) {
    if (each.partition != one.partition)
      continue;
    if (each.at > one.at + slack)
      break;
    if (each.at >= one.at - slack && each.node == one.node)
      return true;
    if (each.at >= one.at - slack && before == one.node)
      return true;
    before = each.node;
  }
  return before == one.node;
}

void check_fence(const history& of, verdict& out) {
  for (const auto& one : of.written) {
    ++out.looked_at;
    if (!held(of, one))
      out.offend(fmt::format("{} attempt {} was written by {} without the "
                             "lease of partition {}",
                             one.id, one.number, one.node, one.partition));
  }
}

} // namespace

verdict check_honest_rows(const history& of) {
  verdict out{"I9", "honest state", 0, 0, {}, {}};
  check_open(of, out);
  check_attempts(of, out);
  check_arrivals(of, out);
  check_fence(of, out);
  return out;
}

verdict check_successes(const history& of) {
  verdict out{"I10", "no false success", 0, 0, {}, {}};
  for (const auto& one : of.attempts) {
    if (!succeeded(one))
      continue;
    ++out.looked_at;
    const auto place = of.receptions().find(one.id);
    const bool answered =
        place != of.receptions().end()
        && std::any_of(place->second.begin(), place->second.end(),
                       [&](const reception& each) {
                         const auto* sent = each.status();
                         return sent && each.arrival.attempt == one.number
                                && sent->status == one.status
                                && sent->status / 100 == 2;
                       });
    if (!answered)
      out.offend(fmt::format("{} attempt {}: {} is stored and was not answered",
                             one.id, one.number, one.status));
  }
  return out;
}

} // namespace postrider::testing
