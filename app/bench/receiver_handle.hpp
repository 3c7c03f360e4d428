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
  /// Where nothing is ever answered.
  std::string black_hole_url(std::size_t endpoint) const;
  void key(std::size_t endpoint, const std::string& secret);
  void measure_from(std::int64_t moment);
  /// 204, or 503 to turn all away.
  void answer(int status);
  /// Latencies count for endpoints with a number below this one only.
  void watch(std::size_t endpoints);
  /// So many attempts of each delivery get a 503.
  void refuse(int attempts);
  /// Requests wait for their answer until `release`.
  void hold();
  void release();
  arrival_totals totals();
  std::vector<overtaking> overtakings();
  log_histogram latencies();

  /// What was taken since the moment of `measure_from`.
  struct pace {
    std::uint64_t peak = 0; ///< the most within any second
    std::vector<std::uint64_t> seconds;
  };
  pace paced();

private:
  void tell(const std::string& line);
  std::string ask(const std::string& line);

  child process_;
  std::uint16_t port_ = 0;
  std::uint16_t black_hole_ = 0;
};

/// The name of a fault as the command line knows it.
std::string to_string(arrival_fault fault);

/// The path of the program that runs.
std::string own_program();

} // namespace postrider::app
