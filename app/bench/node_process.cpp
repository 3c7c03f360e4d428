#include "app/bench/node_process.hpp"

#include "app/commands/options.hpp"
#include "app/exit_code.hpp"
#include "app/local_keys.hpp"
#include "app/node.hpp"
#include "app/stop_signals.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <poll.h>
#include <unistd.h>

namespace postrider::app {

namespace {

config::config prepare(config::config from, const std::string& folder) {
  std::ifstream file{std::filesystem::path{folder} / "database-url"};
  std::getline(file, from.storage.url);
  from.api.listen = {"127.0.0.1", 0};
  from.admin = {"127.0.0.1", 0};
  from.api.key.clear();
  from.storage.secret_key.clear();
  use_local_keys(folder, from);
  from.guard.allow.push_back("127.0.0.0/8");
  return from;
}

/// Waits for input; false once it has ended.
bool has_input(int limit) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, limit) <= 0)
    return true;
  char byte = 0;
  return ::read(STDIN_FILENO, &byte, 1) != 0;
}

} // namespace

int run_bench_node(const std::string& config_file,
                   const std::vector<std::string>& settings,
                   const std::string& folder) {
  const auto read =
      config::read({config_file, config::process_environment(), settings});
  print_faults(read, "the node was not started");
  if (!read.faults.empty())
    return exit_config;
  const auto config = prepare(read.whole, folder);
  const stop_signals until_told;
  node running{config, STDERR_FILENO};
  fmt::print("api {}\n", running.api_port());
  std::fflush(stdout);
  char go = 0;
  ssize_t got = 0;
  do
    got = ::read(STDIN_FILENO, &go, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1)
    return exit_done;
  running.start();
  while (has_input(200))
    if (const auto code = running.fatal())
      return code;
  return running.stop() ? exit_done : exit_failed;
}

} // namespace postrider::app
