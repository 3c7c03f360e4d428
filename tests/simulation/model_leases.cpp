// The lease table (store/leases.cpp), and what a change of hands means.
#include "core/caution.hpp"
#include "tests/simulation/model_database.hpp"

#include <algorithm>

namespace postrider::testing {

using std::chrono::milliseconds;

namespace {

std::int64_t micros(milliseconds span) {
  return span.count() * 1'000;
}

} // namespace

store::heartbeat model_database::beat(const asker& by, store::standing how) {
  tick();
  auto& me =
      nodes_.try_emplace(by.node, node_row{by.name, 0, now()}).first->second;
  me.heartbeat = now();
  me.standing = how;
  store::heartbeat out;
  out.partitions = static_cast<int>(leases_.size());
  for (std::size_t i = 0; i < leases_.size(); ++i) {
    auto& one = leases_[i];
    if (!one.name.empty() && one.owner == by.node) {
      if (how == store::standing::stalled)
        continue;
      one.expires = now() + micros(by.lease);
      if (one.taken < now() - micros(calm_after))
        one.crashes = one.suspect_crashes = 0;
      out.held.push_back(lease_of(static_cast<std::uint16_t>(i)));
    } else if (one.name.empty() || one.expires <= now()) {
      ++out.free;
    }
  }
  for (const auto& [id, row] : nodes_)
    if (id != by.node && row.standing == store::standing::working
        && row.heartbeat > now() - micros(by.lease)) {
      ++out.live_nodes;
      out.rank += id < by.node;
    }
  return out;
}

actors::lease_list model_database::acquire(const asker& by, int count) {
  tick();
  actors::lease_list out;
  for (std::size_t i = 0; i < leases_.size() && std::ssize(out) < count; ++i) {
    auto& one = leases_[i];
    const bool expired =
        !one.name.empty() && one.owner != by.node && one.expires <= now();
    if (!one.name.empty() && !expired)
      continue;
    const auto partition = static_cast<std::uint16_t>(i);
    if (expired) {
      lost_by_expiry(by, partition, one);
      blame(one);
    }
    give_to(partition, &by);
    ++one.epoch;
    one.expires = now() + micros(by.lease);
    one.taken = now();
    out.push_back(lease_of(partition));
    in_.rare("taken carefully", one.crashes >= careful_after);
    in_.rare("culprit", out.back().culprit != 0);
  }
  return out;
}

bool model_database::release(const asker& by, const actors::lease_list& given) {
  tick();
  for (const auto& which : given) {
    const auto& one = leases_.at(which.partition);
    if (holds_lease(by, which.partition, which.epoch) && !one.name.empty())
      give_to(which.partition, nullptr);
  }
  return true;
}

bool model_database::mark(const asker& by, const store::lease& under,
                          std::int64_t delivery) {
  tick();
  if (!holds_lease(by, under.partition, under.epoch))
    return false;
  leases_.at(under.partition).handling = delivery;
  return true;
}

/// Its holder has not given it back.
void model_database::blame(lease_row& of) {
  ++of.crashes;
  if (of.handling == 0)
    return;
  of.suspect_crashes = of.handling == of.suspect ? of.suspect_crashes + 1 : 1;
  of.suspect = of.handling;
}

store::lease model_database::lease_of(std::uint16_t partition) const {
  const auto& one = leases_.at(partition);
  return {partition, one.epoch, one.crashes,
          one.suspect_crashes >= culprit_after ? one.suspect : 0};
}

bool model_database::leave(const asker& by) {
  tick();
  for (std::size_t i = 0; i < leases_.size(); ++i)
    if (!leases_[i].name.empty() && leases_[i].owner == by.node)
      give_to(static_cast<std::uint16_t>(i), nullptr);
  nodes_.erase(by.node);
  return true;
}

int model_database::sweep(const asker& by) {
  tick();
  std::erase_if(nodes_, [&](const auto& item) {
    return item.first != by.node
           && item.second.heartbeat < now() - 10 * micros(by.lease);
  });
  return static_cast<int>(std::ranges::count_if(leases_, [&](const auto& one) {
    return !one.name.empty() && one.owner != by.node && one.expires <= now();
  }));
}

void model_database::was_in_trouble(const std::string& node, nanos from,
                                    nanos upto) {
  troubles_.push_back({node, from, upto});
}

void model_database::was_away(nanos from, nanos upto) {
  outages_.emplace_back(from, upto);
}

void model_database::begins_anew(const uuid& node) {
  tick();
  if (const auto place = nodes_.find(node); place != nodes_.end())
    place->second.since = now();
}

bool model_database::holds_lease(const asker& by, std::uint16_t partition,
                                 std::int64_t epoch) const {
  const auto& one = leases_.at(partition);
  return !one.name.empty() && one.owner == by.node && one.epoch == epoch;
}

void model_database::give_to(std::uint16_t partition, const asker* to) {
  auto& one = leases_.at(partition);
  one.owner = to ? to->node : uuid{};
  one.name = to ? to->name : "";
  one.handling = 0;
  in_.write(fence_line{partition, one.name, in_.now()});
  in_.seen.note(in_.now(), to ? "lease taken" : "lease released", partition,
                one.epoch);
  in_.seen.say(in_.now(), "  of partition " + std::to_string(partition) + " by "
                              + (to ? to->name : "nobody"));
}

/// Whether a trouble of its own and outages together left it no time to renew.
bool model_database::kept_away(const std::string& node, nanos from, nanos upto,
                               nanos beats) const {
  std::vector<std::pair<nanos, nanos>> all = outages_;
  bool own = false;
  for (const auto& one : troubles_)
    if (one.node == node && one.upto > from && one.from < upto) {
      all.emplace_back(one.from, one.upto);
      own = true;
    }
  std::ranges::sort(all);
  auto free_since = from;
  nanos longest{0};
  for (const auto& [begin, end] : all) {
    longest = std::max(longest, std::min(begin, upto) - free_since);
    free_since = std::max(free_since, end);
  }
  return own && std::max(longest, upto - free_since) < beats;
}

/// What was in flight goes out again. That is unavoidable where the owner was
/// hindered by something of its own, and is not where it only waited for the
/// database as everybody did.
void model_database::lost_by_expiry(const asker& to, std::uint16_t partition,
                                    const lease_row& was) {
  const nanos moment{in_.now()};
  const auto lease = in_.playing.lease;
  // What was too short for that can only have kept it from coming back in time
  // after an outage.
  const auto beats = in_.playing.heartbeat * 2;
  const bool hindered = std::ranges::any_of(troubles_, [&](const trouble& one) {
    const bool enough = one.upto - one.from + beats >= lease;
    return one.node == was.name
           && one.upto + (enough ? nanos{lease} : nanos{beats}) >= moment;
  });
  // Since the last time that it was renewed.
  const auto renewed =
      moment - std::chrono::microseconds{now() - was.expires} - nanos{lease};
  const bool bridged = kept_away(was.name, renewed, moment, beats);
  in_.rare("cut off between two outages", bridged && !hindered);
  // It can't know that there was an outage, nor who is about to come back.
  const bool newcomer = nodes_.at(to.node).since > now() - micros(lease / 4);
  const bool excused = hindered || bridged || newcomer;
  in_.rare("lease taken by a newcomer after an outage",
           newcomer && !hindered && !bridged);
  if (excused)
    in_.write(mark_line{"pause", was.name, (moment - 2 * lease).count(),
                        (moment + lease).count(), 0});
  in_.rare(excused ? "lease lost" : "lease lost with the database");
  for (const auto& row : table_.look().rows)
    if (row.partition == partition) {
      in_.rare("takeover with work open");
      break;
    }
}

} // namespace postrider::testing
