#pragma once

#include <string>
#include <vector>

namespace postrider::app {

/// The node of a benchmark, in a process of its own. Its configuration is the
/// file, the environment and `settings` (each `section.key=value`), but for
/// what a benchmark decides itself: the database (the file `database-url` in
/// `folder`), the keys (files there), free ports on the loopback, and receivers
/// allowed there.
///
/// Writes `api PORT` to standard output once it is built, starts at the word
/// `go` on standard input, and stops politely when its input ends. Returns the
/// exit code.
int run_bench_node(const std::string& config_file,
                   const std::vector<std::string>& settings,
                   const std::string& folder);

} // namespace postrider::app
