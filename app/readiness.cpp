#include "app/readiness.hpp"

#include "core/clock_skew.hpp"
#include "store/database_facts.hpp"

#include <chrono>
#include <cstdlib>

namespace postrider::app {

namespace {

api::health_check check_clock(std::chrono::milliseconds ahead) {
  if (judge_clock(ahead) != clock_skew::too_large)
    return {"clock", true, ""};
  const auto seconds = ahead.count() / 1000;
  return {"clock", false,
          "this node's clock is " + std::to_string(std::abs(seconds))
              + (seconds > 0 ? " s ahead of" : " s behind")
              + " the database's; receivers may refuse its signatures"};
}

api::health_check check_settings(unsigned unsafe, bool refuse) {
  if (unsafe == 0)
    return {"durability", true, ""};
  return {"durability", !refuse,
          "unsafe: what was accepted may be lost, as the database has "
              + store::describe_settings(unsafe)};
}

} // namespace

std::vector<api::health_check> readiness(const node_facts& of) {
  const auto& state = of.state;
  return {
      {"role", true, of.role},
      {"engine", of.gave_up.empty(), of.gave_up},
      {"migrations", state.migrated,
       state.migrated ? "" : "the schema was not seen yet"},
      {"storage", state.storage_up,
       state.storage_up ? "" : "the database does not answer"},
      {"progress", of.stalled.empty(), of.stalled},
      {"leases", state.leased,
       state.leased ? "" : "waiting for a share of the partitions"},
      check_settings(state.unsafe_settings, of.refuse_unsafe),
      check_clock(std::chrono::milliseconds{state.clock_ahead}),
      {"draining", !of.leaving, of.leaving ? "this node is stopping" : ""},
  };
}

} // namespace postrider::app
