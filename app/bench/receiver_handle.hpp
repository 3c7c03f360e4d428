#pragma once

#include "app/bench/arrival_ledger.hpp"
#include "app/bench/receiver_process.hpp"
#include "app/child.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace postrider::app {

/// A benchmark's receiver, run as a child and asked over pipes. Throws
/// `std::runtime_error` when it has ended. Not thread-safe.
class receiver_handle {
public:
  /// `log` is the file for what it complains of.
  receiver_handle(const bench_receiver_options& options,
                  const std::string& log);

  pid_t pid() const noexcept { return process_.pid(); }
  std::string url(std::size_t endpoint) const;
  void key(std::size_t endpoint, const std::string& secret);
  void measure_from(std::int64_t moment);
  arrival_totals totals();
  std::vector<overtaking> overtakings();
  log_histogram latencies();

private:
  void tell(const std::string& line);
  std::string ask(const std::string& line);

  child process_;
  std::uint16_t port_ = 0;
};

/// The name of a fault as the command line knows it.
std::string to_string(arrival_fault fault);

/// The path of the program that runs.
std::string own_program();

} // namespace postrider::app
