#pragma once

#include "config/config.hpp"

#include <optional>
#include <string>

namespace postrider::app {

/// The settings of a node on this machine: its file, where one is named, and
/// the environment. `failure` when the file is bad; nothing when only the
/// environment is, which may be meant for something else.
std::optional<config::config> node_settings(const std::string& file);

/// An address that a node listens on, as a URL to call.
std::string callable(const config::listen_config& where);

} // namespace postrider::app
