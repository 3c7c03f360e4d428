#include "tests/simulation/plan.hpp"

namespace postrider::testing {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

milliseconds some_time(dice& by, std::int64_t least, std::int64_t most) {
  return milliseconds{by.upto(least, most)};
}

void choose_size(plan& out, dice& by) {
  out.nodes = static_cast<int>(by.upto(1, 3));
  out.partitions = static_cast<int>(by.upto(1, 6));
  out.endpoints = static_cast<int>(by.upto(1, 7));
  out.storm = some_time(by, 6'000, 20'000);
  out.events = static_cast<int>(by.upto(20, 160));
  out.lease = some_time(by, 1'500, 5'000);
  out.heartbeat = out.lease / 10;
  out.poll_max = some_time(by, 20, 250);
  out.settle_delay = by.chance(0.2) ? some_time(by, 50, 900) : 3ms;
  out.settle_most = by.chance(0.3) ? 3 : 500;
  if (by.chance(0.5))
    out.window = {static_cast<std::size_t>(by.upto(4, 60)), 64 << 20,
                  static_cast<std::size_t>(by.upto(1, 8))};
  out.tenant_cap = by.chance(0.2) ? static_cast<int>(by.upto(1, 4)) : 0;
  out.orderly = by.chance(0.3);
}

void choose_load(plan& out, dice& by) {
  out.by_sql = by.one_of<double>({0.0, 0.5, 1.0});
  out.rolled_back = by.one_of<double>({0.0, 0.05, 0.3});
  out.longest_transaction = by.one_of<nanos>({5ms, 300ms, 4s});
}

void choose_health(plan& out, dice& by) {
  out.health = *find_health_policy("default");
  out.health.degraded_after = static_cast<int>(by.upto(2, 6));
  out.health.ratio_min = static_cast<int>(by.upto(5, 20));
  out.health.ramp_start = static_cast<int>(by.upto(1, 10));
  out.health.cooldowns = {200ms, 500ms, 1s, 2s};
  out.health.cooldowns.resize(static_cast<std::size_t>(by.upto(1, 4)));
}

void choose_faults(plan& out, dice& by) {
  const auto some = [&](double most) {
    return by.chance(0.5) ? by.unit() * most : 0.0;
  };
  const auto weight = [&] { return static_cast<int>(by.upto(-3, 3)); };
  const auto weigh = [&](int& what) { what = std::max(0, weight()); };
  out.late = some(0.1);
  out.latest = by.one_of<nanos>({50ms, 500ms, 2s});
  out.hangs = by.chance(0.1) ? 0.0005 : 0.0;
  out.refused = some(0.05);
  out.lost = some(0.05);
  out.fails = some(0.3);
  out.silent = some(0.1);
  out.reset = some(0.1);
  out.unreached = some(0.1);
  out.asks_rest = some(0.05);
  out.throws = by.chance(0.25) ? by.unit() * 0.01 : 0.0;
  for (auto* one :
       {&out.database_away, &out.database_crash, &out.node_cut_off,
        &out.network_away, &out.kill, &out.pause, &out.leave, &out.join,
        &out.end_driver, &out.end_breaker, &out.end_settler, &out.end_reader,
        &out.sickness, &out.operate})
    weigh(*one);
  out.every = some_time(by, 300, 2'000);
  out.lost_messages = by.chance(0.15) ? by.unit() * 0.02 : 0.0;
}

} // namespace

plan make_plan(std::uint64_t seed) {
  dice by{seed * 2 + 1};
  plan out;
  choose_size(out, by);
  choose_load(out, by);
  choose_health(out, by);
  if (!by.chance(0.1)) // else a healthy one
    choose_faults(out, by);
  return out;
}

} // namespace postrider::testing
