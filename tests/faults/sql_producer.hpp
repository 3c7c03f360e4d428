#pragma once

#include "tests/faults/ledger.hpp"

#include <memory>
#include <string>
#include <vector>

namespace postrider::testing {

class fault_bench;

/// A producer that publishes by SQL in transactions of its own, and notes what
/// it does. One transaction at a time.
class sql_producer {
public:
  explicit sql_producer(fault_bench& on);
  ~sql_producer();

  /// Begins a transaction if none is open.
  void publish(const std::string& key, const std::string& stream = "s");
  void commit();
  void abort();
  bool open() const;

private:
  struct link;
  fault_bench& on_;
  std::unique_ptr<link> link_;
  std::string transaction_;
  std::vector<answer_line> answers_;
};

} // namespace postrider::testing
