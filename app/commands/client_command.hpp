#pragma once

#include "app/api/json_writer.hpp"
#include "app/client/api_session.hpp"
#include "app/client/client_options.hpp"
#include "app/client/failure.hpp"
#include "app/client/output.hpp"
#include "app/commands/command.hpp"
#include "app/commands/options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>

namespace postrider::app {

/// What every client command takes: where the node is, how to show the answer.
void add_client_options(CLI::App& command, client_options& into);

/// `--tenant ID`.
CLI::Option* add_tenant_option(CLI::App& command, std::string& into);

/// How much of a list is shown.
struct list_options : client_options {
  std::size_t limit = 50;
  bool all = false;
};
/// `--limit N` and `--all`.
void add_limit_options(CLI::App& command, list_options& into);

/// One verb that talks to a node.
template <class Options>
struct client_command {
  CLI::App* command;
  std::shared_ptr<Options> options;
};

/// Adds a verb with the options of every client command; `Options` derives
/// from `client_options`. `examples` are whole lines, each indented by two.
template <class Options>
client_command<Options>
add_client_command(CLI::App& parent, action& chosen, const std::string& name,
                   const std::string& description, const std::string& examples,
                   int (*work)(const Options&)) {
  auto options = std::make_shared<Options>();
  auto* command = parent.add_subcommand(name, description);
  command->footer("EXAMPLES\n" + examples);
  add_client_options(*command, *options);
  command->callback([&chosen, options, work] {
    chosen = [options, work] { return work(*options); };
  });
  return {command, options};
}

/// A noun with verbs below it.
CLI::App* add_noun(CLI::App& root, const std::string& name,
                   const std::string& description);

/// Prints a list of the API; returns the exit code.
int print_list(const list_options& options, const std::string& path,
               std::vector<column> columns);

/// Adds the member where it was given: null for `none`, else the number.
void write_number_or_none(api::json_writer& out, std::string_view name,
                          const std::string& text);

/// What `get` takes.
struct get_options : client_options {
  std::string id;
};
void add_id(CLI::App& command, std::string& into, const std::string& help);

} // namespace postrider::app
