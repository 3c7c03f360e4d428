#include "app/commands/explain.hpp"

#include "app/exit_code.hpp"
#include "config/nearest.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

namespace postrider::app {

namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* one :
       app.get_subcommands([](const CLI::App*) { return true; }))
    if (!one->get_group().empty()) // a hidden one
      names.push_back(one->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames())
      names.push_back(fmt::format("--{}", name));
  return names;
}

std::string complaint(const CLI::App& app, const CLI::ParseError& found) {
  const auto left = app.remaining();
  if (left.empty()) {
    if (!app.get_require_subcommand_min() || !app.get_subcommands().empty())
      return found.what();
    return "a command is missing";
  }
  const auto& word = left.front();
  if (word.starts_with("-"))
    return fmt::format(
        "unknown option {}{}", word,
        config::did_you_mean(word.substr(0, word.find('=')), options_of(app)));
  const auto commands = commands_of(app);
  if (commands.empty())
    return fmt::format("\"{}\" is one argument too many", word);
  return fmt::format("unknown command \"{}\"{}", word,
                     config::did_you_mean(word, commands));
}

} // namespace

int explain(const CLI::App& root, const CLI::ParseError& found) {
  const auto* app = &root;
  std::string path = root.get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    path += fmt::format(" {}", app->get_name());
  }
  if (found.get_exit_code() == 0)
    return root.exit(found);
  fmt::print(stderr, "{}: {}\ntry: {} --help\n", path, complaint(*app, found),
             path);
  return exit_usage;
}

} // namespace postrider::app
