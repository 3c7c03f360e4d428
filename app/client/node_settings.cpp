#include "app/client/node_settings.hpp"

#include "app/client/failure.hpp"
#include "config/load.hpp"

#include <fmt/format.h>

#include <utility>

namespace postrider::app {

std::optional<config::config> node_settings(const std::string& file) {
  auto read = config::read({file, config::process_environment(), {}});
  if (read.faults.empty())
    return std::move(read.whole);
  if (file.empty())
    return std::nullopt;
  std::string text;
  for (const auto& one : read.faults)
    text += (text.empty() ? "" : "\n") + config::to_string(one);
  throw failure{exit_config, text};
}

std::string callable(const config::listen_config& where) {
  auto host = where.address;
  if (host == "0.0.0.0")
    host = "127.0.0.1";
  if (host == "::")
    host = "::1";
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "",
                     where.port);
}

} // namespace postrider::app
