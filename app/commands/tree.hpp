#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace postrider::app {

/// The group of the options that every client command has.
inline constexpr const char* client_options_group = "Connection and output";

/// An option or an argument as the command line declares it.
struct described_option {
  std::vector<std::string> names; ///< with their dashes; none: an argument
  std::string value;              ///< what stands for its value; empty: a flag
  std::vector<std::string> choices; ///< where only these can be given
  std::string description;
  std::string variable; ///< of the environment; empty: none
  std::string group;
  bool required = false;
  bool many = false;
};

/// A command and what is below it.
struct described_command {
  std::string path; ///< the words after `postrider`, joined by spaces
  std::string description;
  std::string footer;
  std::vector<described_option> options;
  std::vector<described_command> commands;
};

/// The command line as it stands: the one source of help, completions and the
/// manual page.
described_command describe(const CLI::App& root);

} // namespace postrider::app
