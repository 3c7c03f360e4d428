#include "tests/faults/history.hpp"

#include <algorithm>
#include <istream>
#include <set>
#include <stdexcept>

namespace postrider::testing {

namespace {

// The times of rows are the database's, in milliseconds and from when an
// outcome was written.
constexpr std::int64_t slack = 300'000;

} // namespace

const decision_line* reception::status() const {
  for (auto one = decisions.rbegin(); one != decisions.rend(); ++one)
    if (one->did == "status")
      return &*one;
  return nullptr;
}

bool reception::silent() const {
  return std::none_of(decisions.begin(), decisions.end(), [](const auto& one) {
    return one.did == "status" || one.did == "part";
  });
}

void history::add(const ledger_line& line) {
  std::visit([this](const auto& one) { note(one); }, line);
}

void history::read(std::istream& in) {
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty())
      continue;
    try {
      add(parse_line(line));
    } catch (const std::invalid_argument& fault) {
      throw std::invalid_argument{"line " + std::to_string(number) + ": "
                                  + fault.what()};
    }
  }
}

/// A receiver may come to read a request when its attempt was given up already:
/// on a busy machine, after the attempt that followed. One that was given up
/// for its time should have been read long before its end.
void history::count_late_ones_from_their_start() {
  for (auto& one : arrivals_) {
    const auto* stored = attempt(one.id, one.attempt);
    if (!stored || stored->outcome != "failed")
      continue;
    const bool in_vain = stored->error.find("timeout") != std::string::npos;
    if (stored->ended + (in_vain ? -slack : slack) < one.at)
      one.at = std::min(one.at, stored->started);
  }
}

void history::finish() {
  for (const auto& one : attempts)
    by_number_[{one.id, one.number}] = &one;
  count_late_ones_from_their_start();
  std::sort(arrivals_.begin(), arrivals_.end(),
            [](const auto& a, const auto& b) { return a.at < b.at; });
  std::map<std::int64_t, std::vector<decision_line>> decided;
  for (const auto& one : decisions_)
    decided[one.arrival].push_back(one);
  std::set<std::int64_t> connections;
  receptions_.clear();
  for (const auto& one : arrivals_)
    receptions_[one.id].push_back(
        {one, decided[one.number], connections.insert(one.connection).second});
  for (const auto& [key, one] : productions)
    if (!one.event.empty())
      key_of_event_[one.event] = key;
  for (const auto& one : events)
    if (!one.key.empty())
      key_of_event_[one.id] = one.key;
  std::sort(fences.begin(), fences.end(),
            [](const auto& a, const auto& b) { return a.at < b.at; });
  std::sort(marks.begin(), marks.end(),
            [](const auto& a, const auto& b) { return a.at < b.at; });
}

const production* history::source(const std::string& event) const {
  const auto key = key_of_event_.find(event);
  if (key == key_of_event_.end())
    return nullptr;
  const auto place = productions.find(key->second);
  return place == productions.end() ? nullptr : &place->second;
}

const attempt_line* history::attempt(const std::string& id, int number) const {
  const auto place = by_number_.find({id, number});
  return place == by_number_.end() ? nullptr : place->second;
}

void history::note(const endpoint_line& line) {
  endpoints[line.id] = line;
}

void history::note(const call_line& line) {
  auto& one = productions[line.key];
  if (one.first.key.empty())
    one.first = line;
}

void history::note(const answer_line& line) {
  auto& one = productions[line.key];
  if (line.status < 200 || line.status > 299)
    return;
  one.event = line.event;
  if (one.accepted == 0)
    one.accepted = line.at;
}

void history::note(const arrival_line& line) {
  arrivals_.push_back(line);
}

void history::note(const decision_line& line) {
  decisions_.push_back(line);
}

} // namespace postrider::testing
