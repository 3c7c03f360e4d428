#include "app/client/work_progress.hpp"
#include "app/commands/client_command.hpp"
#include "app/json_text.hpp"
#include "app/stop_signals.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace postrider::app {

namespace {

struct drain_options : client_options {
  std::string node;
  bool undo = false;
  bool no_wait = false;
};

constexpr std::chrono::milliseconds look_every{250};

std::vector<std::string> nodes_called(api_session& api,
                                      const std::string& called) {
  std::vector<std::string> out;
  for_each_row(api.get("/v1/nodes"), [&](std::string_view row) {
    if (json_member(row, "id") == called
        || (json_member(row, "name") == called
            && json_member(row, "state") != "silent"))
      out.emplace_back(row);
  });
  return out;
}

std::string node_called(api_session& api, const std::string& called) {
  const auto found = nodes_called(api, called);
  if (found.empty())
    throw failure{
        exit_not_found,
        fmt::format("there is no node {}\ntry: postrider nodes", called)};
  if (found.size() > 1)
    throw failure{exit_refused,
                  fmt::format("{} nodes are called {}: name one by its id\n"
                              "try: postrider nodes",
                              found.size(), called)};
  return found.front();
}

int leases_of(const std::string& row) {
  return std::stoi(shown_member(row, "leases"));
}

/// Ctrl-C ends the wait and nothing else: what is wanted stays in force.
int wait_until_drained(api_session& api, const drain_options& options,
                       stop_signals& signals, std::string row) {
  const auto id = json_member(row, "id");
  const auto first = leases_of(row);
  work_progress progress{options, "given back",
                         static_cast<std::uint64_t>(first)};
  while (json_member(row, "state") != "drained") {
    if (signals.wait_for(look_every)) {
      fmt::print(stderr,
                 "{} goes on giving its leases back: {} are left\n"
                 "try: postrider drain --node {} --undo\n",
                 options.node, leases_of(row), id);
      return exit_interrupted;
    }
    const auto now = nodes_called(api, id);
    if (now.empty())
      throw failure{exit_failed,
                    fmt::format("{} has left meanwhile", options.node)};
    row = now.front();
    if (const auto state = json_member(row, "state");
        state != "draining" && state != "drained" && state != "stalled")
      throw failure{exit_failed, fmt::format("{} is {} now, not drained",
                                             options.node, state)};
    progress.advance_to(
        static_cast<std::uint64_t>(std::max(0, first - leases_of(row))));
  }
  print_object(options, row);
  return exit_done;
}

int drain(const drain_options& options) {
  const bool waits = !options.undo && !options.no_wait;
  // Before there is a thread that could be hit by one.
  std::optional<stop_signals> signals;
  if (waits)
    signals.emplace();
  api_session api{options};
  const auto id = json_member(node_called(api, options.node), "id");
  const auto row =
      api.call("POST", "/v1/nodes/" + path_segment(id)
                           + (options.undo ? "/undrain" : "/drain"));
  if (waits)
    return wait_until_drained(api, options, *signals, row);
  print_object(options, row);
  return exit_done;
}

} // namespace

void add_drain(CLI::App& root, action& chosen) {
  const auto [command, options] = add_client_command<drain_options>(
      root, chosen, "drain",
      "Have a node give all its leases back and take none; waits until it has",
      "  postrider drain --node worker-2\n"
      "  postrider drain --node worker-2 --undo",
      drain);
  command
      ->add_option("--node", options->node,
                   "Its name, or its id (postrider nodes)")
      ->required()
      ->type_name("NAME|ID");
  command->add_flag("--undo", options->undo, "It takes leases again");
  command->add_flag("--no-wait", options->no_wait,
                    "Don't wait until it has given all back");
}

} // namespace postrider::app
