// I3: first attempts of a stream go out in the order of commits. A delivery id
// is drawn before its commit, so only what is certain is asked for: an event
// whose acceptance was told before another one was sent goes first, and what
// one transaction wrote keeps its order.
#include "tests/faults/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace postrider::testing {

namespace {

struct first_arrival {
  const production* source = nullptr;
  arrival_line what;
};

using stream = std::pair<std::string, std::string>; // endpoint and key

std::map<stream, std::vector<first_arrival>> streams_of(const history& of) {
  std::map<stream, std::vector<first_arrival>> out;
  for (const auto& [id, all] : of.receptions()) {
    const auto& one = all.front().arrival;
    const auto to = of.endpoints.find(one.endpoint);
    const auto* from = of.source(one.event);
    if (!from || to == of.endpoints.end() || !to->second.ordered)
      continue;
    out[{one.endpoint, to->second.by_event ? from->first.stream : ""}]
        .push_back({from, one});
  }
  return out;
}

void check_stream(std::vector<first_arrival>& all, verdict& out) {
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.what.at < b.what.at; });
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  auto accepted = never; // the earliest among what arrived later
  std::string which;     // that one
  std::map<std::string, std::int64_t> lowest;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (accepted < one->source->first.at)
      out.offend(fmt::format("{} {} arrived before {}, accepted earlier",
                             one->what.endpoint, one->what.id, which));
    if (one->source->accepted > 0 && one->source->accepted < accepted) {
      accepted = one->source->accepted;
      which = one->what.id;
    }
    const auto& together = one->source->first.transaction;
    if (together.empty())
      continue;
    auto& low = lowest.try_emplace(together, never).first->second;
    if (low < one->what.sequence)
      out.offend(fmt::format("{} {} arrived before one of its transaction "
                             "that stands before it",
                             one->what.endpoint, one->what.id));
    low = std::min(low, one->what.sequence);
  }
}

} // namespace

verdict check_order(const history& of) {
  verdict out{"I3", "first attempts in order", 0, 0, {}, {}};
  auto streams = streams_of(of);
  out.numbers["streams"] = std::ssize(streams);
  for (auto& [name, all] : streams) {
    out.looked_at += all.size();
    check_stream(all, out);
  }
  return out;
}

} // namespace postrider::testing
