#include "app/commands/completion_words.hpp"

#include <fmt/format.h>

#include <set>

namespace postrider::app {

void for_each_command(
    const described_command& from,
    const std::function<void(const described_command&)>& visit) {
  visit(from);
  for (const auto& one : from.commands)
    for_each_command(one, visit);
}

std::string last_word(const std::string& path) {
  return path.substr(path.find_last_of(' ') + 1);
}

bool names_a_file(const described_option& option) {
  return option.value == "FILE" || option.value == "DIR";
}

std::string joined(const std::vector<std::string>& words,
                   const std::string& by) {
  return fmt::format("{}", fmt::join(words, by));
}

std::vector<std::string> valued_options(const described_command& root) {
  std::set<std::string> names;
  for_each_command(root, [&](const described_command& command) {
    for (const auto& option : command.options)
      if (!option.value.empty())
        names.insert(option.names.begin(), option.names.end());
  });
  return {names.begin(), names.end()};
}

} // namespace postrider::app
