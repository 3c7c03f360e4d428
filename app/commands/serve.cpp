#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/embedded_postgres.hpp"
#include "app/exit_code.hpp"
#include "app/node.hpp"
#include "app/node_config.hpp"
#include "store/error.hpp"
#include "store/migrator.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace postrider::app {

namespace {

struct serve_options {
  std::string config;
  std::string embedded;
  std::vector<std::string> settings;
  std::string role;
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

int run(const node_sources& sources, bool migrate) {
  const auto read = read_node_config(sources);
  if (!read.faults.empty() || !read.warnings.empty())
    print_faults(read, read.faults.empty() ? "" : "nothing was started");
  if (!read.faults.empty())
    return exit_config;
  if (migrate)
    migrate_when_there(read.whole.storage.url);
  return run_node(read, [sources] { return read_node_config(sources); });
}

int serve(const serve_options& options) {
  auto settings = options.settings;
  if (!options.role.empty())
    settings.push_back("node.role=" + options.role);
  node_sources sources{
      {options.config, config::process_environment(), settings}, {}, {}};
  if (options.embedded.empty())
    return run(sources, options.migrate);
  // What is wrong with the file is said before a database is made.
  if (const auto first = config::read(sources.from); !first.faults.empty()) {
    print_faults(first, "nothing was started");
    return exit_config;
  }
  embedded_postgres postgres{options.embedded};
  sources.embedded = options.embedded;
  sources.embedded_url = postgres.url();
  store::migrator{postgres.url()}.up();
  return run(sources, false);
}

} // namespace

void add_serve(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand("serve", "Run a node");
  auto options = std::make_shared<serve_options>();
  add_config_option(*command, options->config);
  add_set_option(*command, options->settings);
  command
      ->add_option("--embedded", options->embedded,
                   "Run a private PostgreSQL in this folder")
      ->type_name("DIR");
  command
      ->add_option("--role", options->role,
                   "What the node does: api takes events and answers calls, "
                   "worker delivers (node.role)")
      ->check(one_of({"all", "api", "worker"}))
      ->type_name("ROLE");
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
