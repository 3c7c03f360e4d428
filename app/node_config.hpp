#pragma once

#include "config/load.hpp"

#include <functional>
#include <string>

namespace postrider::app {

/// Where a node's configuration comes from; read anew with each reload.
struct node_sources {
  config::sources from;
  /// The folder of a private database, and its URL; empty without one.
  std::string embedded;
  std::string embedded_url;
};

/// Reads the configuration of a node: as `config::read`, and what a node can't
/// start without is a fault too.
config::reading read_node_config(const node_sources& sources);

} // namespace postrider::app
