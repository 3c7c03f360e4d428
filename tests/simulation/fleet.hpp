#pragma once

#include "tests/simulation/sim_node.hpp"

#include <memory>
#include <vector>

namespace postrider::testing {

/// The nodes of a run, each in its place, as they come and go.
class fleet {
public:
  fleet(world& in, model_database& database, model_network& network)
      : in_{in}, database_{database}, network_{network} {}

  void add_place();
  /// A node begins in this place if none is there.
  void start(std::size_t where);
  void kill(std::size_t where);
  void pause(std::size_t where, nanos by);
  /// Leaves in order, as on SIGTERM.
  void leave(std::size_t where);
  void cut_off(std::size_t where, nanos by);
  void take_offline(std::size_t where, nanos by);
  /// Whoever is paused goes on, and whoever is away comes.
  void heal();
  /// The run is over.
  void end();

  std::size_t size() const { return places_.size(); }
  sim_node* at(std::size_t where) { return places_[where].node.get(); }
  /// Places with a node that is not on its way out.
  std::vector<std::size_t> present() const;
  bool runs(std::size_t where) const {
    return places_[where].node && places_[where].paused_until <= in_.time.now();
  }

  /// Handles one message somewhere; false when there is none to be handled.
  bool run_one();
  /// The next moment at which a timer of a node is due.
  std::optional<nanos> next_timer() const;
  /// Lets the timers that are due go off.
  void catch_up();

private:
  struct seat {
    std::shared_ptr<sim_node> node;
    int starts = 0;
    bool leaving = false;
    nanos leaving_since{0};
    nanos paused_until{0};
  };

  /// Not all that it knew is on record.
  void note_disorder(const seat& of);
  void watch_leaving(std::size_t where, std::weak_ptr<sim_node> who, int left);

  world& in_;
  model_database& database_;
  model_network& network_;
  std::vector<seat> places_;
};

} // namespace postrider::testing
