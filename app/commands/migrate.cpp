#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "store/error.hpp"
#include "store/migrator.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace postrider::app {

namespace {

int up(store::migrator& schema) {
  const auto applied = schema.up();
  for (const auto& name : applied)
    fmt::print("applied {}\n", name);
  if (applied.empty())
    fmt::print("the schema is up to date\n");
  return exit_done;
}

int status(store::migrator& schema) {
  bool complete = true;
  for (const auto& one : schema.status()) {
    fmt::print("{:04}  {:<24}  {}\n", one.number, one.name,
               one.applied ? one.applied_at : "not applied");
    complete = complete && one.applied;
  }
  return complete ? exit_done : exit_failed;
}

/// Opens the configured database and reports what the store throws.
int with_schema(const std::string& file, int (*work)(store::migrator&)) {
  const auto config = load_config(file);
  if (!config)
    return exit_config;
  if (config->storage.url.empty()) {
    complain("no database: set storage.url_file or storage.url");
    return exit_config;
  }
  try {
    store::migrator schema{config->storage.url};
    return work(schema);
  } catch (const store::error& fault) {
    complain(fault.what());
    switch (fault.what_kind()) {
    case store::error::kind::transient:
      return exit_unreachable;
    case store::error::kind::broken:
    case store::error::kind::conflict:
      return exit_refused;
    case store::error::kind::defect:
      break;
    }
    return exit_failed;
  }
}

} // namespace

void add_migrate(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand("migrate", "The schema of the database");
  command->require_subcommand(1);
  command->footer("EXAMPLES\n"
                  "  postrider migrate up --config postrider.toml\n"
                  "  postrider migrate status");
  const auto add = [&](const char* name, const char* description,
                       int (*work)(store::migrator&)) {
    auto file = std::make_shared<std::string>();
    auto* verb = command->add_subcommand(name, description);
    add_config_option(*verb, *file);
    verb->footer(fmt::format("EXAMPLES\n"
                             "  postrider migrate {} --config postrider.toml",
                             name));
    verb->callback([&chosen, file, work] {
      chosen = [file, work] { return with_schema(*file, work); };
    });
  };
  add("up", "Apply what is missing; safe from several nodes at once", up);
  add("status", "List the migrations; exit code 1 when some are missing",
      status);
}

} // namespace postrider::app
