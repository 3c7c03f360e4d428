#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/embedded_postgres.hpp"
#include "app/exit_code.hpp"
#include "app/local_keys.hpp"
#include "app/node.hpp"
#include "store/error.hpp"
#include "store/migrator.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

namespace postrider::app {

namespace {

struct serve_options {
  std::string config;
  std::string embedded;
  bool migrate = false;
};

/// Waits for a database that is away, with growing pauses.
void migrate_when_there(const std::string& url) {
  using namespace std::chrono_literals;
  for (std::chrono::milliseconds pause = 500ms;;
       pause = std::min<std::chrono::milliseconds>(pause * 2, 10s)) {
    try {
      for (const auto& name : store::migrator{url}.up())
        fmt::print("applied {}\n", name);
      return;
    } catch (const store::error& fault) {
      if (fault.what_kind() != store::error::kind::transient)
        throw;
      complain(fmt::format("the database is not reachable, trying again: {}",
                           fault.what()));
    }
    std::this_thread::sleep_for(pause);
  }
}

int serve_embedded(config::config config, const std::string& folder) {
  if (!config.storage.url.empty()) {
    complain("storage.url and --embedded exclude each other: keep one");
    return exit_usage;
  }
  embedded_postgres postgres{folder};
  use_local_keys(folder, config);
  config.storage.url = postgres.url();
  store::migrator{config.storage.url}.up();
  return run_node(config);
}

int serve(const serve_options& options) {
  auto config = load_config(options.config);
  if (!config)
    return exit_config;
  if (!options.embedded.empty())
    return serve_embedded(std::move(*config), options.embedded);
  bool complete = true;
  const auto need = [&](const std::string& value, const std::string& what) {
    if (!value.empty())
      return;
    complain(what);
    complete = false;
  };
  need(config->storage.url,
       "no database: set storage.url_file (or storage.url), or use "
       "--embedded DIR");
  need(config->storage.secret_key,
       "storage.secret_key_file is not set (make one: openssl rand -base64 32 "
       "> secret.key)");
  need(config->api.key,
       "api.key_file is not set (make one: openssl rand -hex 32 > api.key)");
  if (!complete)
    return exit_config;
  if (options.migrate)
    migrate_when_there(config->storage.url);
  return run_node(*config);
}

} // namespace

void add_serve(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand("serve", "Run a node");
  auto options = std::make_shared<serve_options>();
  add_config_option(*command, options->config);
  command
      ->add_option("--embedded", options->embedded,
                   "Run a private PostgreSQL in this folder")
      ->type_name("DIR");
  command->add_flag("--migrate", options->migrate,
                    "Bring the schema up to date first");
  command->footer(
      "Several nodes on one database share its work. SIGTERM ends a node\n"
      "politely: it finishes what is in flight and gives the rest back.\n\n"
      "EXAMPLES\n"
      "  postrider serve --config /etc/postrider/postrider.toml\n"
      "  postrider serve --embedded /var/lib/postrider\n"
      "  POSTRIDER_STORAGE__URL_FILE=/run/secrets/url postrider serve "
      "--migrate");
  command->callback(
      [&chosen, options] { chosen = [options] { return serve(*options); }; });
}

} // namespace postrider::app
