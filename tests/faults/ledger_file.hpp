#pragma once

#include "tests/faults/ledger.hpp"

#include <filesystem>
#include <mutex>

namespace postrider::testing {

/// A ledger on disk. Thread-safe.
class ledger_file {
public:
  explicit ledger_file(std::filesystem::path path);
  ~ledger_file();
  ledger_file(const ledger_file&) = delete;
  ledger_file& operator=(const ledger_file&) = delete;

  void write(const ledger_line& line);
  /// Returns when it is on the disk: what the producer was promised must
  /// outlive everything else.
  void write_durably(const ledger_line& line);

  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
  std::mutex mutex_;
  int file_ = -1;
};

} // namespace postrider::testing
