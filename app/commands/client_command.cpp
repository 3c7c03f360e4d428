#include "app/commands/client_command.hpp"

#include "app/commands/tree.hpp"

#include <cstdlib>

namespace postrider::app {

void add_client_options(CLI::App& command, client_options& into) {
  command
      .add_option("--url", into.url, "The node's API (http://127.0.0.1:8080)")
      ->envname("POSTRIDER_URL")
      ->type_name("URL")
      ->group(client_options_group);
  command
      .add_option("--token-file", into.token_file,
                  "File that holds the bearer key")
      ->envname("POSTRIDER_TOKEN_FILE")
      ->type_name("FILE")
      ->group(client_options_group);
  command
      .add_option("-c,--config", into.config,
                  "A node's file: its address and key, where not given")
      ->envname("POSTRIDER_CONFIG")
      ->type_name("FILE")
      ->group(client_options_group);
  add_duration_option(command, "--timeout", into.timeout,
                      "How long to wait for an answer (15s)")
      ->group(client_options_group);
  command.add_flag("--json", into.json, "One JSON document; of streams, lines")
      ->group(client_options_group);
  command
      .add_flag("--plain", into.plain, "Tab-separated lines without a header")
      ->group(client_options_group);
  command.add_option("--color", into.color, "When to use colours")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("WHEN")
      ->group(client_options_group);
  command.add_flag("-q,--quiet", into.quiet, "Only data and errors")
      ->group(client_options_group);
  command
      .add_flag("-v,--verbose", into.verbose, "Each request, on standard error")
      ->group(client_options_group);
  command.add_flag("--no-input", into.no_input, "Never ask")
      ->group(client_options_group);
  command.add_flag("-y,--yes", into.yes, "Do it without asking")
      ->group(client_options_group);
}

CLI::Option* add_tenant_option(CLI::App& command, std::string& into) {
  return command.add_option("--tenant", into, "Only this tenant's")
      ->envname("POSTRIDER_TENANT")
      ->type_name("ID");
}

void add_limit_options(CLI::App& command, list_options& into) {
  command.add_option("--limit", into.limit, "Show at most so many")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}))
      ->type_name("N")
      ->capture_default_str();
  command.add_flag("--all", into.all, "Show all of them");
}

CLI::App* add_noun(CLI::App& root, const std::string& name,
                   const std::string& description) {
  auto* noun = root.add_subcommand(name, description);
  noun->require_subcommand(1);
  return noun;
}

int print_list(const list_options& options, const std::string& path,
               std::vector<column> columns) {
  api_session api{options};
  list_output out{options, std::move(columns)};
  const bool more = api.each(path, options.all ? 0 : options.limit,
                             [&](std::string_view row) { out.add(row); });
  out.finish(more);
  return exit_done;
}

void write_number_or_none(api::json_writer& out, std::string_view name,
                          const std::string& text) {
  if (text.empty())
    return;
  out.key(name);
  if (text == "none")
    out.null();
  else
    out.decimal(std::strtod(text.c_str(), nullptr));
}

void add_id(CLI::App& command, std::string& into, const std::string& help) {
  command.add_option("id", into, help)->required()->type_name("ID");
}

} // namespace postrider::app
