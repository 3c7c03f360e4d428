#include "app/commands/manual.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

/// A text that may stand anywhere: no escape, no request, no hyphenation of
/// what one types.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\''))
      out += "\\&";
    line_start = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  // Without a locale groff reads Latin-1.
  for (std::size_t at = 0; (at = out.find("…", at)) != std::string::npos;)
    out.replace(at, std::string_view{"…"}.size(), "\\[u2026]");
  return out;
}

std::string one_line(std::string text) {
  for (auto& c : text)
    if (c == '\n')
      c = ' ';
  return text;
}

std::string synopsis(const described_command& command) {
  auto out = fmt::format("postrider {}", command.path);
  std::string arguments;
  bool options = false;
  for (const auto& option : command.options) {
    const auto value = option.value + (option.many ? "…" : "");
    if (option.names.empty())
      arguments += option.required ? " " + value : " [" + value + "]";
    else if (option.required)
      arguments += fmt::format(" {} {}", option.names.front(), option.value);
    else
      options = true;
  }
  return out + (options ? " [options]" : "") + arguments;
}

std::string item(const described_option& option) {
  std::string head;
  for (const auto& name : option.names)
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(name));
  if (!option.value.empty())
    head += fmt::format("{}\\fI{}\\fR", head.empty() ? "" : " ",
                        roff(option.value));
  auto text = roff(one_line(option.description));
  if (!option.choices.empty())
    text += roff(fmt::format(": {}", fmt::join(option.choices, ", ")));
  if (!option.variable.empty())
    text += fmt::format(" (\\fB{}\\fR)", roff(option.variable));
  return fmt::format(".TP\n{}\n{}.\n", head, text);
}

/// The footer: prose, and examples as they are typed.
std::string closing(std::string_view footer) {
  std::string out;
  bool block = false;
  while (!footer.empty()) {
    const auto line = footer.substr(0, footer.find('\n'));
    footer.remove_prefix(std::min(line.size() + 1, footer.size()));
    const bool typed = line.starts_with("  ");
    if (typed != block) {
      out += typed ? ".PP\n.nf\n.RS\n" : ".RE\n.fi\n";
      block = typed;
    }
    if (line.empty() || line == "EXAMPLES")
      continue;
    out += roff(typed ? line.substr(2) : line) + "\n";
  }
  return out + (block ? ".RE\n.fi\n" : "");
}

void add_leaves(const described_command& command, std::string& out) {
  for (const auto& one : command.commands)
    add_leaves(one, out);
  if (!command.commands.empty() || command.path.empty())
    return;
  out += fmt::format(".SS \"{}\"\n{}.\n", roff(synopsis(command)),
                     roff(one_line(command.description)));
  bool shared = false;
  for (const auto& option : command.options)
    if (option.group == client_options_group)
      shared = true;
    else if (option.names.empty() || option.names.front() != "--help")
      out += item(option);
  if (shared)
    out += ".PP\nAnd those of every command that talks to a node.\n";
  if (const auto text = closing(command.footer); !text.empty())
    out += ".PP\n" + text;
}

/// The options that all client commands share, from the first that has them.
const described_command* with_shared(const described_command& command) {
  for (const auto& option : command.options)
    if (option.group == client_options_group)
      return &command;
  for (const auto& one : command.commands)
    if (const auto* found = with_shared(one))
      return found;
  return nullptr;
}

constexpr const char* exit_status = R"(.SH EXIT STATUS
.TP
0
Done.
.TP
1
Failed while running.
.TP
2
Wrong usage.
.TP
3
The configuration is invalid.
.TP
4
The server or the database is not reachable.
.TP
5
Not found.
.TP
6
Refused: state, precondition or permission.
.TP
7
Partly done; the summary says what failed.
.TP
8
A check was not met.
.TP
124
Timed out.
.TP
130, 143
Interrupted, terminated.
)";

} // namespace

std::string manual_page(const described_command& root,
                        std::string_view version) {
  auto out =
      fmt::format(".TH POSTRIDER 1 \"\" \"postrider {}\" \"Postrider\"\n"
                  ".SH NAME\n"
                  "postrider \\- keep events in PostgreSQL and deliver them\n"
                  ".SH SYNOPSIS\n"
                  ".B postrider\n"
                  ".I command\n"
                  ".RI [ options ]\n"
                  ".SH DESCRIPTION\n{}\n"
                  ".SH COMMANDS\n",
                  roff(version), roff(one_line(root.description)));
  add_leaves(root, out);
  if (const auto* shared = with_shared(root)) {
    out += ".SH OPTIONS OF EVERY COMMAND THAT TALKS TO A NODE\n";
    for (const auto& option : shared->options)
      if (option.group == client_options_group)
        out += item(option);
  }
  return out + exit_status;
}

} // namespace postrider::app
