#pragma once

#include <chrono>
#include <string>

namespace postrider::app {

/// What every command takes that talks to a node.
struct client_options {
  std::string url;        ///< empty: from the configuration, else the default
  std::string token_file; ///< empty: from the configuration
  std::string config;     ///< a node's file, for its address and key
  std::string color = "auto"; ///< auto, always or never
  std::chrono::milliseconds timeout{15'000};
  bool json = false;     ///< one document, or a line for each item
  bool plain = false;    ///< tab-separated, no header
  bool quiet = false;    ///< nothing but data and errors
  bool verbose = false;  ///< each request on standard error
  bool no_input = false; ///< never ask
  bool yes = false;      ///< the answer to every question
};

} // namespace postrider::app
