#pragma once

#include "tests/simulation/fleet.hpp"

#include <string>

namespace postrider::testing {

/// Who publishes: transactions of applications, which commit late or roll
/// back, and calls to the nodes, which are repeated with their key until they
/// are answered. What is promised to them stands in the ledger.
class producers {
public:
  producers(world& in, model_database& database, fleet& nodes)
      : in_{in}, database_{database}, nodes_{nodes} {}

  /// Sets all of it down in the agenda, spread over the storm.
  void plan_all();
  /// Nothing is on its way any more.
  bool done() const { return under_way_ == 0; }

private:
  void begin(int many);
  void write_one(std::uint64_t by, int left,
                 std::vector<std::pair<std::string, uuid>> written);
  void end(std::uint64_t by,
           const std::vector<std::pair<std::string, uuid>>& written);
  void call(model_database::published what);
  void answered(const model_database::published& what, int status,
                const uuid& id);
  model_database::published some_event();
  void note_call(const model_database::published& what,
                 const std::string& transaction);

  world& in_;
  model_database& database_;
  fleet& nodes_;
  int under_way_ = 0;
  int keys_ = 0;
};

} // namespace postrider::testing
