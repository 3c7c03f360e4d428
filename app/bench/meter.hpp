#pragma once

#include "store/workbench.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace postrider::app {

/// A process, or a server with its children, whose use is measured.
struct metered {
  std::string name;
  pid_t process = 0;
  bool family = false;
};

/// What a stretch of time has cost.
struct costs {
  struct part {
    std::string name;
    double cpu = 0;          ///< seconds
    std::int64_t memory = 0; ///< bytes; the most that was resident
  };
  double seconds = 0;
  std::vector<part> parts;
  std::int64_t wal = 0;   ///< bytes
  double busy_cores = 0;  ///< of the whole machine
  double other_cores = 0; ///< of them: used by processes that are not ours

  double cpu() const;
};

/// Measures from its making on.
class meter {
public:
  meter(std::vector<metered> processes, store::workbench& database);
  /// Until now. The end of the time may have been seen earlier than it is
  /// asked for: `seconds` is what is reported as such.
  costs stop(double seconds);

private:
  std::vector<double> cpu_now() const;

  std::vector<metered> processes_;
  store::workbench& database_;
  std::int64_t started_ = 0;
  std::int64_t wal_ = 0;
  double busy_ = 0;
  std::vector<double> cpu_;
};

} // namespace postrider::app
