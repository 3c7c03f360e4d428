// I1: what was accepted is there, once, with all its deliveries.
#include "tests/faults/check.hpp"

#include <fmt/core.h>

#include <set>

namespace postrider::testing {

namespace {

using place = std::pair<std::string, std::string>; // event and endpoint

struct stored {
  std::map<std::string, std::vector<const event_line*>> by_key;
  std::map<std::string, const event_line*> by_id;
  std::set<place> ended;
  std::map<place, const open_line*> open;
};

stored look_up(const history& of) {
  stored out;
  for (const auto& one : of.events) {
    out.by_id[one.id] = &one;
    if (!one.key.empty())
      out.by_key[one.tenant + "/" + one.key].push_back(&one);
  }
  for (const auto& one : of.attempts)
    if (one.last)
      out.ended.insert({one.event, one.endpoint});
  for (const auto& one : of.open)
    out.open[{one.event, one.endpoint}] = &one;
  return out;
}

void check_one(const production& one, const stored& in, verdict& out) {
  const auto& key = one.first.key;
  const auto kept = in.by_key.find(one.first.tenant + "/" + key);
  const auto known = in.by_id.find(one.event);
  if (kept == in.by_key.end() && known == in.by_id.end()) {
    ++out.numbers["lost"];
    out.offend(fmt::format("key {}: accepted, no event", key));
    return;
  }
  if (kept != in.by_key.end() && kept->second.size() > 1) {
    ++out.numbers["double"];
    out.offend(
        fmt::format("key {}: {} events of one key", key, kept->second.size()));
  }
  const auto& id =
      kept != in.by_key.end() ? kept->second.front()->id : one.event;
  if (id != one.event)
    out.offend(fmt::format("key {}: answered with {}, stored as {}", key,
                           one.event, id));
  for (const auto& endpoint : one.first.endpoints) {
    if (in.ended.contains({id, endpoint}))
      continue;
    const auto open = in.open.find({id, endpoint});
    if (open != in.open.end() && open->second->due)
      continue;
    ++out.numbers["undelivered"];
    out.offend(fmt::format("key {}: {} has no {} at {}", key, id,
                           open == in.open.end() ? "delivery"
                                                 : "outcome and no due time",
                           endpoint));
  }
}

} // namespace

verdict check_nothing_lost(const history& of) {
  verdict out{"I1", "no accepted event lost", 0, 0, {}, {}};
  out.numbers["unknown"] = 0;
  const auto in = look_up(of);
  for (const auto& [key, one] : of.productions) {
    if (one.accepted == 0) {
      ++out.numbers["unknown"];
      continue;
    }
    ++out.looked_at;
    check_one(one, in, out);
  }
  return out;
}

} // namespace postrider::testing
