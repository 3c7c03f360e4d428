#pragma once

#include "tests/faults/fault_bench.hpp"
#include "tests/faults/front_door.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace postrider::testing {

/// Several nodes of one bench behind one address.
class fleet {
public:
  /// Starts `count` nodes and waits until they share the partitions.
  fleet(fault_bench& bench, int count,
        std::map<std::string, std::string> settings = {});

  struct member {
    node_process* process;
    std::string name;
  };
  std::size_t size() const { return members_.size(); }
  member& operator[](std::size_t i) { return members_.at(i); }

  /// Starts one more, or one in the place of another.
  member& join(const std::string& failpoints = "");
  void rejoin(std::size_t i, const std::string& failpoints = "");

  /// Leases that this node holds, or that nobody holds, expired or not.
  int leases_of(const std::string& name) const;
  /// Waits until every partition has a live owner and each node its share.
  bool shared(std::chrono::milliseconds limit = std::chrono::seconds{30}) const;
  /// Waits until the node of this name owns nothing; how long that took.
  std::chrono::milliseconds
  given_up(const std::string& name,
           std::chrono::milliseconds limit = std::chrono::seconds{30}) const;

  front_door& door() { return door_; }

private:
  fault_bench& bench_;
  std::map<std::string, std::string> settings_;
  std::vector<member> members_;
  front_door door_;
};

} // namespace postrider::testing
