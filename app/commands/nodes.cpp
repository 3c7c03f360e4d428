#include "app/commands/client_command.hpp"

namespace postrider::app {

namespace {

int list(const client_options& options) {
  api_session api{options};
  const auto body = api.get("/v1/nodes");
  if (options.json) {
    fmt::print("{}\n", body);
    return exit_done;
  }
  list_output out{options,
                  {{"NAME", "name"},
                   {"STATE", "state"},
                   {"ROLE", "role"},
                   {"LEASES", "leases"},
                   {"SILENT", "silent_seconds"},
                   {"CLOCK", "clock_ahead_seconds"},
                   {"VERSION", "version"},
                   {"STARTED", "started_at"},
                   {"HEARTBEAT", "heartbeat_at"},
                   {"ID", "id"}}};
  for_each_row(body, [&](std::string_view row) { out.add(row); });
  out.finish(false);
  return exit_done;
}

} // namespace

void add_nodes(CLI::App& root, action& chosen) {
  add_client_command<client_options>(
      root, chosen, "nodes",
      "The nodes: state, role, leases held, seconds since the last heartbeat,\n"
      "how far the clock is ahead of the database's",
      "  postrider nodes\n"
      "  postrider nodes --json",
      list);
}

} // namespace postrider::app
