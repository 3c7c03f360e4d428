#include "app/dev/dev.hpp"

#include "app/commands/command.hpp"
#include "app/commands/options.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace postrider::app {

void add_dev(CLI::App& root, action& chosen) {
  auto* command = root.add_subcommand(
      "dev", "Everything in one process: database, traffic, receiver");
  struct given {
    dev_options options;
    std::chrono::milliseconds duration{0};
  };
  auto all = std::make_shared<given>();
  command->add_option("--rate", all->options.rate, "Events per second")
      ->check(CLI::Range(0.0, 20'000.0))
      ->capture_default_str();
  add_duration_option(*command, "--for", all->duration,
                      "End by itself, with a report");
  command
      ->add_option("--dir", all->options.folder,
                   "Keep the database here (else it is temporary)")
      ->type_name("DIR");
  command->add_option("--port", all->options.port, "Of the API; 0: any free")
      ->capture_default_str();
  command
      ->add_option("--log-level", all->options.log_level,
                   "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  command->footer(
      "Ctrl-C stops the traffic, waits until everything is delivered and\n"
      "reports; a second one ends at once. Exit code 8 when anything was "
      "lost,\n"
      "out of order or badly signed.\n\n"
      "EXAMPLES\n"
      "  postrider dev\n"
      "  postrider dev --rate 1000 --for 30s\n"
      "  postrider dev --dir ./demo --port 8080 --rate 0");
  command->callback([&chosen, all] {
    chosen = [all] {
      if (all->duration.count() > 0)
        all->options.duration = all->duration;
      return run_dev(all->options);
    };
  });
}

} // namespace postrider::app
