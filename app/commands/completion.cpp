#include "app/commands/command.hpp"
#include "app/commands/completion_text.hpp"
#include "app/commands/manual.hpp"
#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "app/version.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace postrider::app {

void add_completion(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand(
      "completion", "Print a script that completes commands for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  command->footer("EXAMPLES\n"
                  "  source <(postrider completion bash)\n"
                  "  postrider completion zsh > ~/.zfunc/_postrider\n"
                  "  postrider completion fish > "
                  "~/.config/fish/completions/postrider.fish");
  command->callback([&root, &chosen, shell] {
    chosen = [&root, shell] {
      const auto tree = describe(root);
      const auto text = *shell == "bash"  ? bash_completion(tree)
                        : *shell == "zsh" ? zsh_completion(tree)
                                          : fish_completion(tree);
      std::fputs(text.c_str(), stdout);
      return exit_done;
    };
  });
}

void add_man(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand("man", "Print the manual page");
  command->footer("EXAMPLES\n"
                  "  postrider man | man -l -\n"
                  "  postrider man > /usr/share/man/man1/postrider.1");
  command->callback([&root, &chosen] {
    chosen = [&root] {
      std::fputs(manual_page(describe(root), version()).c_str(), stdout);
      return exit_done;
    };
  });
}

} // namespace postrider::app
