#include "app/metrics/families.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace postrider::app::metrics {

namespace {

using namespace std::chrono;
using loop_list = std::vector<const net::loop_meters*>;

void add_loop(page& to, const std::string& name, const loop_list& loops) {
  distribution lag;
  lag.buckets.resize(quick_times::bounds().size() + 1);
  auto oldest = std::numeric_limits<std::int64_t>::max();
  for (const auto* one : loops) {
    one->lag.add_to(lag);
    oldest = std::min(oldest, one->ticked.load(std::memory_order_relaxed));
  }
  to.histogram("postrider_loop_lag_seconds",
               "How late the clocks of the loops tick.", quick_times::bounds(),
               lag, nanoseconds, {{"loop", name}});
  const auto ago =
      steady_clock::now().time_since_epoch() - std::chrono::nanoseconds{oldest};
  const duration<double> at = system_clock::now().time_since_epoch() - ago;
  to.gauge("postrider_loop_last_tick_timestamp_seconds",
           "When the loop that is furthest behind has turned last.", at.count(),
           {{"loop", name}});
}

} // namespace

void add_loops(page& to, const sources& from) {
  loop_list client;
  for (const auto* one : from.engine.loops())
    client.push_back(&one->loop);
  add_loop(to, "client", client);
  if (from.api)
    add_loop(to, "api", from.api->meters());
  add_loop(to, "admin", from.admin.meters());
}

void add_actors(page& to, const sources& from) {
  for (const auto& one : from.engine.actors()) {
    const labels of{{"actor", one.kind}};
    to.gauge("postrider_actor_mailbox_length",
             "Messages in the longest mailbox of the kind, the one that is "
             "handled included.",
             static_cast<double>(one.mailbox), of);
    to.counter("postrider_actor_messages_total", "Messages handled.",
               static_cast<double>(one.messages), of);
    to.histogram("postrider_actor_handler_duration_seconds",
                 "Time that handlers took.", quick_times::bounds(), one.spent,
                 nanoseconds, of);
  }
}

} // namespace postrider::app::metrics
