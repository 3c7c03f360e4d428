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
void add_endpoints(CLI::App& root, action& chosen);
void add_events(CLI::App& root, action& chosen);
void add_deliveries(CLI::App& root, action& chosen);
void add_attempts(CLI::App& root, action& chosen);
void add_dead_letters(CLI::App& root, action& chosen);
void add_tenants(CLI::App& root, action& chosen);
void add_nodes(CLI::App& root, action& chosen);
void add_drain(CLI::App& root, action& chosen);
void add_tail(CLI::App& root, action& chosen);
void add_doctor(CLI::App& root, action& chosen);
void add_health(CLI::App& root, action& chosen);
void add_sign(CLI::App& root, action& chosen);
void add_verify(CLI::App& root, action& chosen);
void add_completion(CLI::App& root, action& chosen);
void add_man(CLI::App& root, action& chosen);
void add_version(CLI::App& root, action& chosen);

} // namespace postrider::app
