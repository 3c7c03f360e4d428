#include "actors/node_supervisor.hpp"

#include "tests/actors/actor_fixture.hpp"
#include "tests/actors/fakes.hpp"

#include <map>
#include <set>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

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

fake_store_actor::behavior_type
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

stopper_actor::behavior_type stopper(stopper_actor::pointer self,
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

class NodeSupervisor : public testing::actor_fixture {
protected:
  NodeSupervisor() { settle(); }

  actors::node_options options() {
    actors::node_options out;
    out.partition.around = {[] { return std::chrono::sys_seconds{}; },
                            [] { return 0.5; }};
    out.partition.log = no_log();
    out.partition.counters = counters_;
    out.partition.outcomes = record_.box;
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

  void kill(const actors::partition_actor& which) {
    caf::anon_send_exit(which, caf::exit_reason::unhandled_exception);
    settle();
  }

  actors::counters_ptr counters_ = std::make_shared<actors::counters>();
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
  actors::node_supervisor_actor node_ = keep(actors::spawn_node_supervisor(
      system, options(), store_, reader_, health_, {worker_}));
  stopper_actor stopper_ = keep(system.spawn(stopper, node_, &stopped_));
};

TEST_F(NodeSupervisor, TakesEverythingWhenAlone) {
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  EXPECT_EQ(counters_->partitions, 4u);
  EXPECT_TRUE(counters_->leased);
}

TEST_F(NodeSupervisor, GivesItsSurplusBackWhenANodeJoins) {
  world_.live_nodes = 2;
  pass(2'100ms);
  EXPECT_EQ(read(), (partitions{0, 1}));
  EXPECT_EQ(world_.released, 2);
  pass(10s);
  EXPECT_EQ(world_.held.size(), 2u);
}

TEST_F(NodeSupervisor, TakesWhatADeadNodeLeavesBehind) {
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.live_nodes = 1;
  world_.others.clear();
  pass(2'100ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

TEST_F(NodeSupervisor, FinishesWhatIsInFlightBeforeItGivesBack) {
  start_attempt(2);
  start_attempt(3);
  world_.live_nodes = 2;
  pass(2'100ms);
  // Nothing more is read for them, and they are still this node's.
  EXPECT_EQ(read(), (partitions{0, 1}));
  EXPECT_EQ(world_.released, 0);
  finish_attempt(0);
  EXPECT_FALSE(world_.held.contains(2));
  EXPECT_TRUE(world_.held.contains(3));
  EXPECT_EQ(record_.settled.size(), 1u);
}

TEST_F(NodeSupervisor, EndsTheDriverOfALostLease) {
  start_attempt(2);
  world_.held.erase(2);
  world_.others.insert(2);
  pass(2'100ms);
  EXPECT_EQ(read(), (partitions{0, 1, 3}));
  finish_attempt(0);
  EXPECT_TRUE(record_.settled.empty());
}

// S3.40: under a new epoch everything begins anew.
TEST_F(NodeSupervisor, StartsANewDriverUnderANewEpoch) {
  const auto before = driver(2);
  world_.held[2] = ++world_.epochs;
  pass(2'100ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  EXPECT_NE(driver(2), before);
}

TEST_F(NodeSupervisor, DoesNotDriveAgainWhatIsBeingReleased) {
  start_attempt(3);
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.hold = true;
  pass(2'000ms);     // this heartbeat still lists 3 …
  finish_attempt(0); // … which is given back meanwhile
  tell(store_, atom::free_v);
  EXPECT_EQ(read(), (partitions{0, 1}));
}

// RELIABILITY A-12: what it has told may have been lost.
TEST_F(NodeSupervisor, SaysAgainWhoDrivesWhat) {
  reader_seen_.owned.clear();
  pass(2s);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

TEST_F(NodeSupervisor, EndsNoDriverForTheWordOfAnother) {
  start_attempt(2);
  tell(node_, atom::drained_v, std::uint16_t{2});
  finish_attempt(0);
  EXPECT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

// DESIGN 4.6: it stops a margin before its lease ends.
TEST_F(NodeSupervisor, LetsItsDriversStopWhenItCannotRenew) {
  world_.away = true;
  pass(15s);
  start_attempt(0);
  EXPECT_EQ(jobs_.size(), 1u);
  pass(2s);
  start_attempt(1);
  EXPECT_EQ(jobs_.size(), 1u);
  world_.away = false;
  pass(2s);
  EXPECT_EQ(jobs_.size(), 2u);
}

// What it took from them they would have written, and is sent again.
TEST_F(NodeSupervisor, LeavesTimeToThoseWhoComeBackFromTheSameOutage) {
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.away = true;
  pass(25s);
  world_.away = false;
  world_.live_nodes = 1; // the other one has not been heard of yet
  world_.others.clear(); // and its leases have expired
  pass(4s);
  EXPECT_EQ(read(), (partitions{0, 1}));
  world_.live_nodes = 2;
  pass(10s);
  EXPECT_EQ(read(), (partitions{0, 1}));
}

TEST_F(NodeSupervisor, TakesWhatNobodyComesBackForAfterAnOutage) {
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.away = true;
  pass(25s);
  world_.away = false;
  world_.live_nodes = 1;
  world_.others.clear();
  pass(9s);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

TEST_F(NodeSupervisor, StartsAFailedDriverAgainUnderItsLease) {
  const auto before = driver(1);
  kill(before);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  EXPECT_NE(driver(1), before);
  EXPECT_EQ(counters_->restarts, 1u);
  start_attempt(1);
  EXPECT_EQ(jobs_.size(), 1u);
}

// G6: neither what is in flight nor an outcome that waits for the database is a
// reason to send again.
TEST_F(NodeSupervisor, LetsADriverGoOnWithWhatAFailedOneHad) {
  record_.away = true;
  start_attempt(1);
  finish_attempt(0);
  kill(driver(1));
  start_attempt(1); // is read again, and not settled yet
  EXPECT_EQ(jobs_.size(), 1u);
  record_.away = false;
}

// Also when it failed while it was to drain.
TEST_F(NodeSupervisor, GivesBackOnlyWhenWhatAFailedDriverHadIsSettled) {
  start_attempt(1);
  const auto failing = driver(1);
  tell(stopper_, atom::stop_v);
  kill(failing);
  EXPECT_EQ(world_.released, 3);
  finish_attempt(0);
  EXPECT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(stopped_, (std::vector{true}));
}

TEST_F(NodeSupervisor, EndsWhenDriversFailTooOften) {
  const auto one = driver(0);
  for (int i = 0; i < 9; ++i)
    kill(driver(0));
  EXPECT_EQ(counters_->restarts, 9u);
  tell(stopper_, atom::stop_v);
  EXPECT_TRUE(stopped_.empty()); // nobody there any more
}

// -- fair share --------------------------------------------------------------

// What others give back at their next heartbeat is taken within that one.
// Else one node that leaves would take all the others out of service.
TEST_F(NodeSupervisor, StaysReadyWhileOthersAreAboutToGive) {
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.live_nodes = 1; // the other's have not expired yet
  pass(4'000ms);
  EXPECT_EQ(read(), (partitions{0, 1}));
  EXPECT_TRUE(counters_->leased);
}

// LOAD-04: even when it holds none. Of several it is the one that has the
// first.
TEST_F(NodeSupervisor, SamplesForAllWhenItIsAlone) {
  const auto& wanted = counters_->meters.backlog.wanted;
  EXPECT_TRUE(wanted);
  world_.drain = true;
  pass(2'100ms);
  EXPECT_EQ(read(), partitions{});
  EXPECT_TRUE(wanted);
  world_.live_nodes = 2;
  pass(2'100ms);
  EXPECT_FALSE(wanted);
}

TEST_F(NodeSupervisor, LooksMoreOftenWhileOthersAreAboutToGive) {
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.live_nodes = 1; // the other's have not expired yet
  pass(2'000ms);
  const auto before = world_.told.size();
  pass(2'000ms);
  EXPECT_GE(world_.told.size(), before + 7);
  world_.others.clear();
  pass(300ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  const auto after = world_.told.size();
  pass(2'000ms);
  EXPECT_LE(world_.told.size(), after + 2) << "nothing to wait for";
}

TEST_F(NodeSupervisor, GivesEverythingBackWhileItIsDrained) {
  start_attempt(3);
  world_.drain = true;
  pass(2'000ms);
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(world_.released, 3) << "all but the one with an attempt in flight";
  finish_attempt(0);
  EXPECT_EQ(world_.released, 4);
  world_.others.clear();
  pass(10s);
  EXPECT_TRUE(world_.held.empty()) << "it takes none";
  EXPECT_TRUE(counters_->leased) << "it has all that it should have";
  world_.drain = false;
  pass(2'000ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

// -- standing still ----------------------------------------------------------

// LEASE-08: a heartbeat alone is no sign of life.
TEST_F(NodeSupervisor, GivesUpItsLeasesWhileSomethingStandsStill) {
  start_attempt(3);
  stuck_ = "the loop client does not turn";
  pass(2'000ms);
  EXPECT_EQ(world_.released, 3) << "what has nothing in flight, at once";
  EXPECT_TRUE(world_.held.contains(3));
  EXPECT_EQ(world_.told.back(), store::standing::stalled);
  EXPECT_FALSE(counters_->leased);
  world_.others.clear();
  pass(12s);
  EXPECT_EQ(world_.told.back(), store::standing::stalled) << "never renewed";
  EXPECT_EQ(world_.held.size(), 1u) << "and nothing taken";
  stuck_.clear();
  finish_attempt(0);
  pass(4'000ms);
  world_.others.clear();
  pass(4'000ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  EXPECT_TRUE(counters_->leased);
}

TEST_F(NodeSupervisor, LosesWhatAnotherTookWhileItStoodStill) {
  start_attempt(3);
  stuck_ = "partition has been handling one message for 9 s";
  pass(22s);
  world_.held.erase(3);
  world_.others.insert(3);
  stuck_.clear();
  pass(2'000ms);
  finish_attempt(0);
  EXPECT_TRUE(record_.settled.empty()) << "its outcome counts no more";
}

// -- stopping ----------------------------------------------------------------

TEST_F(NodeSupervisor, DrainsAndLeavesOnStop) {
  start_attempt(0);
  tell(stopper_, atom::stop_v);
  EXPECT_TRUE(read().empty());
  EXPECT_TRUE(stopped_.empty());
  EXPECT_EQ(world_.released, 3);
  finish_attempt(0);
  EXPECT_EQ(stopped_, (std::vector{true}));
  EXPECT_EQ(world_.left, 1);
  pass(10s);
  EXPECT_TRUE(world_.held.empty());
}

// The others count it no more, and take what it gives back.
TEST_F(NodeSupervisor, TellsAtOnceThatItLeaves) {
  start_attempt(0);
  tell(stopper_, atom::stop_v);
  EXPECT_EQ(world_.told.back(), store::standing::leaving);
  pass(6s);
  EXPECT_EQ(world_.told.back(), store::standing::leaving);
  EXPECT_TRUE(world_.held.contains(0)) << "renewed until it has ended";
}

TEST_F(NodeSupervisor, GivesBackTogetherWhatIsDrainedWhileTheStoreIsBusy) {
  start_attempt(0);
  world_.hold = true;
  tell(stopper_, atom::stop_v);
  EXPECT_EQ(world_.releases, 1);
  EXPECT_EQ(world_.released, 1);
  tell(store_, atom::free_v);
  EXPECT_EQ(world_.releases, 2);
  EXPECT_EQ(world_.released, 3);
}

TEST_F(NodeSupervisor, LeavesWhenTheTimeOfAStopIsOver) {
  start_attempt(0);
  tell(stopper_, atom::stop_v);
  pass(19s);
  EXPECT_TRUE(stopped_.empty());
  pass(1'100ms);
  EXPECT_EQ(stopped_, (std::vector{false}));
  EXPECT_EQ(world_.left, 1);
}

TEST_F(NodeSupervisor, StopsWithoutADatabase) {
  world_.away = true;
  tell(stopper_, atom::stop_v);
  pass(21s);
  EXPECT_EQ(stopped_.size(), 1u);
}

// -- roles -------------------------------------------------------------------

// `serve --role api`
TEST_F(NodeSupervisor, OfAnApiNodeTellsThatItLivesAndTakesNone) {
  tell(stopper_, atom::stop_v); // the one that takes them
  pass(3s);
  const auto before = world_.told.size();
  auto none = options();
  none.takes_leases = false;
  keep(actors::spawn_node_supervisor(system, none, store_, reader_, health_,
                                     {worker_}));
  pass(10s);
  EXPECT_GT(world_.told.size(), before + 4);
  EXPECT_TRUE(world_.held.empty());
  EXPECT_TRUE(counters_->leased) << "it has all that it should have";
}

} // namespace
} // namespace postrider
