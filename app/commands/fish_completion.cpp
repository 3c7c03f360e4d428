#include "app/commands/completion_text.hpp"
#include "app/commands/completion_words.hpp"

#include <fmt/format.h>

namespace postrider::app {

namespace {

std::string quoted_for_fish(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

} // namespace

std::string fish_completion(const described_command& root) {
  auto out = fmt::format(
      R"(# fish completion for postrider; put it into
# ~/.config/fish/completions/postrider.fish
function __postrider_at
    set -l path ''
    set -l last ''
    for word in (commandline -opc)[2..-1]
        switch $last
            case {0}
                set last ''
                continue
        end
        set last $word
        switch "$path $word"
            case {1}
                set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
complete -c postrider -f
)",
      joined(valued_options(root), " "), [&] {
        std::vector<std::string> paths;
        for_each_command(root, [&](const described_command& command) {
          if (!command.path.empty())
            paths.push_back(fmt::format("' {}'", command.path));
        });
        return joined(paths, " ");
      }());
  for_each_command(root, [&](const described_command& command) {
    const auto where =
        fmt::format("complete -c postrider -n \"__postrider_at '{}{}'\"",
                    command.path.empty() ? "" : " ", command.path);
    for (const auto& one : command.commands)
      out += fmt::format("{} -a {} -d {}\n", where, last_word(one.path),
                         quoted_for_fish(one.description));
    for (const auto& option : command.options) {
      if (option.names.empty()) {
        if (names_a_file(option))
          out += where + " -F\n";
        continue;
      }
      out += where;
      for (const auto& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2)
                                      : " -s " + name.substr(1);
      if (!option.value.empty())
        out += " -r";
      if (!option.choices.empty())
        out +=
            fmt::format(" -a {}", quoted_for_fish(joined(option.choices, " ")));
      if (names_a_file(option))
        out += " -F";
      out += fmt::format(" -d {}\n", quoted_for_fish(option.description));
    }
  });
  return out;
}

} // namespace postrider::app
