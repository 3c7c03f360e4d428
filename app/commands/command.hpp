#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace postrider::app {

/// The work of the command that was named; returns the exit code.
using action = std::function<int()>;

/// Each adds a command with its options, help and examples. When the command
/// line names it, `chosen` becomes its work.
void add_serve(CLI::App& root, action& chosen);
void add_dev(CLI::App& root, action& chosen);
void add_migrate(CLI::App& root, action& chosen);
void add_send(CLI::App& root, action& chosen);
void add_listen(CLI::App& root, action& chosen);
void add_bench(CLI::App& root, action& chosen);
void add_config(CLI::App& root, action& chosen);
void add_check_config(CLI::App& root, action& chosen);
void add_version(CLI::App& root, action& chosen);

} // namespace postrider::app
