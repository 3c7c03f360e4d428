#pragma once

#include "tests/simulation/fleet.hpp"

namespace postrider::testing {

/// What befalls a run from time to time, by dice and by the weights of its
/// plan.
class mischief {
public:
  mischief(world& in, model_database& database, model_network& network,
           fleet& nodes)
      : in_{in}, database_{database}, network_{network}, nodes_{nodes} {}

  void begin();
  /// It ends, and everything is set right again.
  void heal();

private:
  void next();
  void strike();
  void strike_node(int what);
  void take_database_away();
  nanos some_time(nanos least, nanos most) {
    return nanos{in_.by.upto(least.count(), most.count())};
  }

  world& in_;
  model_database& database_;
  model_network& network_;
  fleet& nodes_;
};

} // namespace postrider::testing
