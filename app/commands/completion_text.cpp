#include "app/commands/completion_text.hpp"

#include "app/commands/completion_words.hpp"

#include <fmt/format.h>

namespace postrider::app {

namespace {

/// The words that may stand behind the command.
std::string words_of(const described_command& command) {
  std::vector<std::string> words;
  for (const auto& one : command.commands)
    words.push_back(last_word(one.path));
  for (const auto& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  return joined(words, " ");
}

std::string all_paths(const described_command& root) {
  std::vector<std::string> paths;
  for_each_command(root, [&](const described_command& command) {
    if (!command.path.empty())
      paths.push_back(fmt::format("\" {}\"", command.path));
  });
  return joined(paths, "|");
}

/// Sets `offer`, and `values` or `files` for what stands before the cursor; the
/// same for bash and zsh. Expects the command in `at`, and `before`.
std::string cases(const described_command& root) {
  std::string out = "  case \"$at\" in\n";
  for_each_command(root, [&](const described_command& command) {
    out += fmt::format("  \"{}{}\")\n    offer=\"{}\"\n",
                       command.path.empty() ? "" : " ", command.path,
                       words_of(command));
    std::string values;
    std::string arguments;
    for (const auto& option : command.options) {
      if (option.names.empty() && names_a_file(option))
        arguments += "    files=1\n";
      if (option.names.empty() && !option.choices.empty())
        arguments +=
            fmt::format("    offer+=\" {}\"\n", joined(option.choices, " "));
      if (option.names.empty() || option.value.empty())
        continue;
      values += fmt::format("    {}) ", joined(option.names, "|"));
      if (!option.choices.empty())
        values +=
            fmt::format("values=\"{}\" ;;\n", joined(option.choices, " "));
      else
        values += names_a_file(option) ? "files=1 offer= ;;\n" : "offer= ;;\n";
    }
    out += arguments;
    if (!values.empty())
      out += "    case \"$before\" in\n" + values + "    esac\n";
    out += "    ;;\n";
  });
  return out + "  esac\n";
}

} // namespace

std::string bash_completion(const described_command& root) {
  return fmt::format(
      R"(# bash completion for postrider; put it into
# /usr/share/bash-completion/completions/postrider
_postrider() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local at= offer= values= files= last= i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$last" in
    {0}) last= ; continue ;;
    esac
    last=${{COMP_WORDS[i]}}
    case "$at $last" in
    {1}) at+=" $last" ;;
    esac
  done
  # bash takes --name=value apart at the sign.
  if [[ $word == "=" ]]; then
    word=
  elif [[ $before == "=" ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
{2}  COMPREPLY=()
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    return
  fi
  if [[ -n $offer ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$offer" -- "$word")
  fi
  if [[ -n $files && $word != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _postrider postrider
)",
      joined(valued_options(root), "|"), all_paths(root), cases(root));
}

std::string zsh_completion(const described_command& root) {
  return fmt::format(
      R"(#compdef postrider
# zsh completion for postrider; put it into a folder of $fpath as _postrider
_postrider() {{
  local before=${{words[CURRENT - 1]}} at= offer= values= files= last= i
  for ((i = 2; i < CURRENT; ++i)); do
    case "$last" in
    {0}) last= ; continue ;;
    esac
    last=${{words[i]}}
    case "$at $last" in
    {1}) at+=" $last" ;;
    esac
  done
{2}  if [[ -n $values ]]; then
    compadd -- ${{=values}}
    return
  fi
  if [[ -n $offer ]]; then
    compadd -- ${{=offer}}
  fi
  if [[ -n $files ]]; then
    _files
  fi
}}
compdef _postrider postrider
)",
      joined(valued_options(root), "|"), all_paths(root), cases(root));
}

} // namespace postrider::app
