#pragma once

#include "app/child.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace postrider::app {

/// A benchmark's node, run as a child: see `run_bench_node`. Not thread-safe.
class node_handle {
public:
  /// Built and waiting when this returns. Throws `std::runtime_error` with
  /// what it complained of when it can't be. The folder holds `database-url`
  /// and gets the log.
  node_handle(const std::string& config_file,
              const std::vector<std::string>& settings,
              const std::filesystem::path& folder,
              const std::string& log = "node.log");

  pid_t pid() const noexcept { return process_.pid(); }
  std::string api_url() const;
  /// Lets it start its work.
  void go();
  /// Throws `std::runtime_error`, with the end of its log, when it has ended.
  void check();
  /// Waits for its polite end; false when that was none.
  bool stop();
  /// What it has said last, for whoever has to know why.
  std::string last_words() const;

private:
  std::filesystem::path log_;
  child process_;
  std::uint16_t port_ = 0;
};

} // namespace postrider::app
