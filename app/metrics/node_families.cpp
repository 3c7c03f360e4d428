#include "app/log_line.hpp"
#include "app/metrics/families.hpp"
#include "app/version.hpp"

namespace postrider::app::metrics {

void add_node(page& to, const sources& from) {
  to.gauge("postrider_build_info", "What runs; always 1.", 1,
           {{"version", std::string{version()}},
            {"compiler", "g++ " __VERSION__},
            {"storage", "postgresql"}});
  const auto now = from.state();
  for (const auto& [state, name] :
       {std::pair{node_state::starting, "starting"},
        std::pair{node_state::ready, "ready"},
        std::pair{node_state::draining, "draining"}})
    to.gauge("postrider_node_state", "1 for the state that the node is in.",
             state == now ? 1 : 0, {{"state", name}});
  to.gauge("postrider_config_last_reload_successful",
           "1 unless the last reload of the configuration was refused.",
           from.reloads.last_reload_successful ? 1 : 0);
  to.gauge("postrider_config_last_reload_success_timestamp_seconds",
           "When the configuration in force was read.",
           static_cast<double>(from.reloads.last_success_seconds.load()));
  to.gauge("postrider_config_restart_required",
           "1 while a changed key waits for a restart.",
           from.reloads.restart_required ? 1 : 0);
  const auto lines = from.lines.counted();
  for (std::size_t i = 0; i < lines.lines.size(); ++i)
    to.counter(
        "postrider_log_lines_total", "Lines written to the log.",
        static_cast<double>(lines.lines[i]),
        {{"level", std::string{to_string(static_cast<actors::level>(i))}}});
  to.counter("postrider_log_lines_dropped_total",
             "Lines that could not be written, and those beyond what a "
             "component may say in a second.",
             static_cast<double>(lines.dropped), {{"reason", "unwritable"}});
  to.counter("postrider_log_lines_dropped_total", "",
             static_cast<double>(lines.left_out), {{"reason", "too_many"}});
  to.counter("postrider_actor_restarts_total",
             "Actors that failed and were started again.",
             static_cast<double>(from.engine.state().restarts));
}

} // namespace postrider::app::metrics
