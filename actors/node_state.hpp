#pragma once

#include "actors/metered.hpp"
#include "actors/node_supervisor.hpp"
#include "core/clock_skew.hpp"
#include "core/restarts.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace postrider::actors {

struct node_state;
using node_ptr = metered_pointer<node_supervisor_actor, node_state>;

/// What the node supervisor knows. node_leases.cpp keeps the leases,
/// node_drivers.cpp sees to those who drive them, node_leaving.cpp gives back.
struct node_state {
  static constexpr const char* name = "node_supervisor";

  explicit node_state(node_ptr owner) : self{owner} {}
  /// Drivers don't outlive their supervisor.
  ~node_state();
  node_state(const node_state&) = delete;
  node_state& operator=(const node_state&) = delete;

  struct driven {
    store::lease lease;
    partition_actor driver;
    bool draining = false;
  };

  time_point now() const { return self->clock().now(); }

  // -- heartbeat -------------------------------------------------------------

  /// Asks, and again after at most a heartbeat.
  void beat();
  void plan_beat();
  void ask();
  store::standing standing();
  void watch_progress();
  std::chrono::milliseconds pause() const;
  lease_meters& meters();
  void answered(time_point asked, store::standing how,
                const store::heartbeat& got);
  void renewed(time_point asked, const store::heartbeat& got);
  void compare_clocks(std::chrono::milliseconds ahead);
  void drop_lost(const lease_list& held);
  void balance(const store::heartbeat& got);
  void note_return();
  void acquire(int count);
  void good_since(time_point asked);
  void reaches_store(bool yes);
  /// Gives so many back once what is in flight for them has ended, the last
  /// ones first.
  void shed(int count);
  int active() const;

  // -- drivers ---------------------------------------------------------------

  void drive(const store::lease& lease);
  void end(const partition_actor& driver);
  /// A driver that failed is started again under the same lease and goes on
  /// with what it had in flight.
  void down(const caf::down_msg& what);
  void publish();
  void apply(const live_options_ptr& fresh);

  // -- giving back -----------------------------------------------------------

  void drained(std::uint16_t partition);
  void give(const lease_list& leases);
  /// One statement at a time: what is drained meanwhile goes with the next, so
  /// that a stop does not wait for one commit after another.
  void give_next();
  caf::result<bool> stop();
  void leave_if_done();
  /// Releases everything that is left, drained or not.
  void leave(bool clean);
  void release_all(bool clean);
  void answer(bool clean);

  node_ptr self;
  node_options options;
  lease_store_actor store;
  reader_actor reader;
  health_store_actor health;
  std::vector<http_worker_actor> workers;
  std::map<std::uint16_t, driven> mine;
  std::set<std::uint16_t> releasing;
  lease_list returning; ///< of them: not told to the store yet
  bool giving = false;
  time_point next_beat{};
  time_point good_until{};
  time_point in_touch{};     ///< with the database, the last time
  time_point acquire_from{}; ///< no lease is taken before
  /// The same, for requests that are on their way to their first byte.
  std::shared_ptr<std::atomic<std::int64_t>> begin_before =
      std::make_shared<std::atomic<std::int64_t>>(0);
  restarts failures;
  std::vector<caf::typed_response_promise<bool>> stopped;
  std::optional<bool> gone; ///< left, and whether cleanly
  bool knows_leases = false; ///< by a heartbeat of its own
  bool changed = false;
  bool beating = false;
  bool out_of_touch = false; ///< a heartbeat has failed since
  clock_skew skew = clock_skew::none;
  std::chrono::milliseconds told_ahead{0}; ///< when it was last logged
  bool drain = false;                      ///< an operator wants it
  bool hungry = false; ///< others are about to give what is this node's
  std::string stuck;   ///< what stands still
  store::standing told = store::standing::working;
  bool stopping = false;
  bool left = false;
};

} // namespace postrider::actors
