#pragma once

#include "actors/node_supervisor.hpp"
#include "tests/actors/actor_fixture.hpp"
#include "tests/actors/fakes.hpp"

#include <map>
#include <set>

namespace postrider::testing {

using namespace std::chrono_literals;

/// The lease table, as this node's store sees it.
struct lease_world {
  int partitions = 4;
  int live_nodes = 1;
  std::map<std::uint16_t, std::int64_t> held; ///< partition to epoch
  std::set<std::uint16_t> others;
  std::int64_t epochs = 0;
  bool away = false;
  bool hold = false;
  std::vector<store::standing> told;
  bool drain = false;
  int left = 0;
  int released = 0;
  int releases = 0; ///< statements

  int free() const {
    return partitions - static_cast<int>(held.size() + others.size());
  }
};

/// `free` answers what is held, in the order of a connection: heartbeats as
/// they were when asked, then releases.
using fake_store_actor =
    actors::lease_store_actor::extend<caf::reacts_to<atom::free>>;

struct fake_store_state {
  std::vector<std::pair<caf::typed_response_promise<store::heartbeat>,
                        store::heartbeat>>
      beats;
  std::vector<caf::typed_response_promise<bool>> releases;
};

inline fake_store_actor::behavior_type
fake_store(fake_store_actor::stateful_pointer<fake_store_state> self,
           lease_world* world) {
  return {
      [=](atom::beat, store::standing how) -> caf::result<store::heartbeat> {
        if (world->away)
          return away();
        world->told.push_back(how);
        store::heartbeat out;
        for (const auto& [partition, epoch] : world->held)
          out.held.push_back({partition, epoch});
        out.live_nodes = world->live_nodes;
        out.drain = world->drain;
        if (how == store::standing::stalled)
          out.held.clear();
        out.partitions = world->partitions;
        out.free = world->free();
        if (!world->hold)
          return out;
        auto promise = self->make_response_promise<store::heartbeat>();
        self->state.beats.emplace_back(promise, out);
        return promise;
      },
      [=](atom::acquire, int count) -> caf::result<actors::lease_list> {
        if (world->away)
          return away();
        actors::lease_list out;
        for (std::uint16_t i = 0; i < world->partitions && count > 0; ++i)
          if (!world->held.contains(i) && !world->others.contains(i)) {
            world->held[i] = ++world->epochs;
            out.push_back({i, world->epochs});
            --count;
          }
        return out;
      },
      [=](atom::release, const actors::lease_list& given) -> caf::result<bool> {
        ++world->releases;
        for (const auto& one : given) {
          const auto place = world->held.find(one.partition);
          if (place != world->held.end() && place->second == one.epoch) {
            world->held.erase(place);
            world->others.insert(one.partition); // taken at once
            ++world->released;
          }
        }
        if (!world->hold)
          return true;
        self->state.releases.push_back(self->make_response_promise<bool>());
        return self->state.releases.back();
      },
      [=](atom::leave) -> caf::result<bool> {
        if (world->away)
          return away();
        ++world->left;
        world->held.clear();
        return true;
      },
      [](atom::mark, const store::lease&, std::int64_t) -> caf::result<bool> {
        return true;
      },
      [](atom::sweep) -> caf::result<int> { return 0; },
      [=](atom::free) {
        for (auto& [promise, beat] : std::exchange(self->state.beats, {}))
          promise.deliver(beat);
        for (auto& promise : std::exchange(self->state.releases, {}))
          promise.deliver(true);
      },
  };
}

using stopper_actor = caf::typed_actor<caf::reacts_to<atom::stop>>;

inline stopper_actor::behavior_type stopper(stopper_actor::pointer self,
                                            actors::node_supervisor_actor node,
                                            std::vector<bool>* answers) {
  return {
      [=](atom::stop) {
        self->request(node, 3600s, atom::stop_v)
            .then([=](bool clean) { answers->push_back(clean); },
                  [](const caf::error&) {});
      },
  };
}

/// A supervisor of a node with four partitions, and all whom it deals with.
class node_fixture : public actor_fixture {
protected:
  node_fixture() { settle(); }

  actors::node_options options() {
    actors::node_options out;
    out.partition.around = {[] { return std::chrono::sys_seconds{}; },
                            [] { return 0.5; }};
    out.partition.log = no_log();
    out.partition.counters = counters_;
    out.partition.outcomes = record_.box;
    out.partition.flights = flights_;
    out.stalled = [this] { return stuck_; };
    return out;
  }

  using partitions = std::set<std::uint16_t>;

  /// What the reader was last told to read.
  partitions read() const {
    partitions out;
    if (!reader_seen_.owned.empty())
      for (const auto& one : reader_seen_.owned.back())
        out.insert(one.partition);
    return out;
  }

  actors::partition_actor driver(std::uint16_t partition) const {
    for (const auto& one : reader_seen_.owned.back())
      if (one.partition == partition)
        return one.driver;
    return {};
  }

  /// An attempt of this partition's driver is under way.
  void start_attempt(std::uint16_t partition) {
    auto row = sample_row(partition + 1, partition + 1);
    row.partition = partition;
    tell(driver(partition), atom::claimed_v,
         actors::work_list{{row, sample_event(row.id),
                            sample_endpoint(row.endpoint), now()}});
  }

  void finish_attempt(std::size_t job) {
    jobs_.at(job).reply_to->deliver(answered(200));
    settle();
  }

  template <class Handle>
  void kill(const Handle& which) {
    caf::anon_send_exit(which, caf::exit_reason::unhandled_exception);
    settle();
  }

  actors::node_supervisor_actor spawn_node() {
    return keep(actors::spawn_node_supervisor(system, options(), store_,
                                              reader_, health_, {worker_}));
  }

  actors::counters_ptr counters_ = std::make_shared<actors::counters>();
  std::shared_ptr<actors::flight_board> flights_ =
      std::make_shared<actors::flight_board>();
  std::string stuck_; ///< what stands still
  lease_world world_;
  reader_record reader_seen_;
  settler_record record_;
  actors::http_job_list jobs_;
  std::vector<bool> stopped_;
  fake_store_actor store_ = keep(system.spawn(fake_store, &world_));
  actors::reader_actor reader_ = keep(system.spawn(fake_reader, &reader_seen_));
  fake_settler_actor settler_ = keep(system.spawn(fake_settler, &record_));
  health_world sick_;
  actors::http_worker_actor worker_ = keep(system.spawn(fake_worker, &jobs_));
  actors::health_store_actor health_ =
      keep(system.spawn(fake_health_store, &sick_));
  actors::node_supervisor_actor node_ = spawn_node();
  stopper_actor stopper_ = keep(system.spawn(stopper, node_, &stopped_));
};

} // namespace postrider::testing
