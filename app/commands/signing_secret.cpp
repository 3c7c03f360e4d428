#include "app/commands/signing_secret.hpp"

#include "app/client/failure.hpp"
#include "config/secret.hpp"

#include <fmt/format.h>

namespace postrider::app {

signing_key read_signing_key(const std::string& option,
                             const std::string& file) {
  const auto content =
      config::read_secret_file(file, config::process_environment());
  if (!content.fault.empty())
    throw failure{exit_usage, fmt::format("{} {}", option, content.fault)};
  std::string line;
  if (!config::read_line(content.text, line))
    if (auto key = signing_key::parse(line))
      return *key;
  throw failure{exit_usage,
                fmt::format("{}: {} holds no signing secret (whsec_ and "
                            "base64)",
                            option, file)};
}

} // namespace postrider::app
