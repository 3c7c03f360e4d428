#include "app/connect_check.hpp"

#include "app/engine_settings.hpp"
#include "config/render.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"

#include <exception>
#include <string>

namespace postrider::app {

namespace {

using store::finding;
using grade = finding::grade;

finding check_trust(const config::config& with) {
  const auto& file = with.http.ca_file;
  try {
    net::make_settings(live_options(with).http);
    return {"ca_file", grade::good,
            file.empty() ? "the system's certificates are trusted"
                         : file + " can be read"};
  } catch (const std::exception& fault) {
    return {"ca_file", grade::bad, fault.what()};
  }
}

/// Binds and lets go again. A node that runs already has it.
finding check_listener(const std::string& key,
                       const config::listen_config& where) {
  net::http_server_options options;
  options.address = where.address;
  options.port = where.port;
  try {
    const net::http_server bound{std::move(options), {}};
    return {key, grade::good, config::to_string(where) + " is free"};
  } catch (const std::exception& fault) {
    return {key, grade::bad, fault.what()};
  }
}

} // namespace

std::vector<finding> check_connections(const config::config& with) {
  std::vector<finding> out;
  if (!with.storage.url.empty())
    out = store::inspect(with.storage.url, with.storage.secret_key);
  out.push_back(check_trust(with));
  out.push_back(check_listener("api.listen", with.api.listen));
  out.push_back(check_listener("admin.listen", with.admin));
  return out;
}

} // namespace postrider::app
