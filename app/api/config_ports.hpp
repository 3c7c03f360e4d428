#pragma once

#include "config/difference.hpp"
#include "config/fault.hpp"
#include "config/load.hpp"
#include "config/show.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace postrider::api {

/// What reading the configuration again has brought, or would bring.
struct config_report {
  std::vector<config::fault> faults; ///< if there are any, nothing has changed
  std::vector<config::fault> warnings;
  /// Against what is in force; some of it waits for a restart.
  std::vector<config::change> changes;
};

/// What is in force.
struct config_state {
  std::vector<config::shown> keys; ///< without secrets
  std::vector<config::conflict> conflicts;
  std::vector<std::string> files;
  bool last_reload_successful = true;
  /// Of the last reload that was, or of the start.
  std::chrono::sys_time<std::chrono::milliseconds> applied_at;
  std::vector<std::string> restart_required; ///< keys that wait for it
};

/// What the API needs of the configuration. Each `done` is called once, on
/// another thread.
struct config_ports {
  std::function<config_state()> show;
  /// Reads everything again and makes the new parts, but changes nothing.
  std::function<void(std::function<void(config_report)> done)> check;
  /// The same, and puts it in force when nothing is wrong.
  std::function<void(std::function<void(config_report)> done)> reload;
};

} // namespace postrider::api
