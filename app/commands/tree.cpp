#include "app/commands/tree.hpp"

#include <CLI/CLI.hpp>

namespace postrider::app {

namespace {

/// `WHEN:{auto,always,never}` and `WHEN` apart.
void split_type(const std::string& type, described_option& into) {
  const auto open = type.find('{');
  into.value = type.substr(0, type.find(':'));
  if (open == std::string::npos)
    return;
  if (open == 0)
    into.value = "WORD";
  const auto end = type.find('}', open);
  std::string word;
  for (const char c : type.substr(open + 1, end - open - 1))
    if (c == ',')
      into.choices.push_back(std::exchange(word, {}));
    else if (c != ' ')
      word += c;
  into.choices.push_back(word);
}

described_option describe(const CLI::Option& option) {
  described_option out;
  for (const auto& name : option.get_lnames())
    out.names.push_back("--" + name);
  for (const auto& name : option.get_snames())
    out.names.push_back("-" + name);
  // 0 for a flag, which takes no word of its own.
  if (option.get_items_expected_max() != 0)
    split_type(option.get_type_name(), out);
  if (out.names.empty() && out.value.empty())
    out.value = option.get_name();
  out.description = option.get_description();
  out.variable = option.get_envname();
  out.group = option.get_group();
  out.required = option.get_required();
  out.many = option.get_items_expected_max() > 1;
  return out;
}

described_command describe(const CLI::App& command, const std::string& path) {
  described_command out;
  out.path = path;
  out.description = command.get_description();
  out.footer = command.get_footer();
  for (const auto* option : command.get_options())
    out.options.push_back(describe(*option));
  for (const auto* one :
       command.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(describe(
        *one, path.empty() ? one->get_name() : path + " " + one->get_name()));
  return out;
}

} // namespace

described_command describe(const CLI::App& root) {
  return describe(root, "");
}

} // namespace postrider::app
