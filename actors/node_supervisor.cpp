#include "actors/node_supervisor.hpp"

#include "actors/ending.hpp"
#include "actors/keeper.hpp"
#include "actors/metered.hpp"
#include "core/clock_skew.hpp"
#include "core/fair_share.hpp"
#include "core/restarts.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace postrider::actors {

namespace {

using namespace std::chrono;

struct node_state;
using node_ptr = metered_pointer<node_supervisor_actor, node_state>;

struct node_state {
  static constexpr const char* name = "node_supervisor";

  explicit node_state(node_ptr owner) : self{owner} {}
  /// Drivers don't outlive their supervisor.
  ~node_state() {
    for (const auto& [partition, one] : mine)
      end_actor(one.driver);
  }
  node_state(const node_state&) = delete;
  node_state& operator=(const node_state&) = delete;

  struct driven {
    store::lease lease;
    partition_actor driver;
    bool draining = false;
  };

  time_point now() const { return self->clock().now(); }

  // -- heartbeat -------------------------------------------------------------

  void beat() {
    if (left)
      return;
    self->delayed_send(self, options.heartbeat, atom::tick_v);
    if (now() >= good_until) // they may be another's by now
      options.partition.counters->leased = false;
    if (beating)
      return;
    beating = true;
    // Counted from before the question: the database's renewal is later.
    const auto asked = now();
    self->request(store, options.lease_time, atom::beat_v)
        .then(
            [this, asked](const store::heartbeat& got) {
              beating = false;
              renewed(asked, got);
            },
            [this](const caf::error& fault) {
              beating = false;
              options.partition.log(level::warn, name,
                                    "no heartbeat: " + text_of(fault));
            });
  }

  lease_meters& meters() { return options.partition.counters->meters.lease; }

  void renewed(time_point asked, const store::heartbeat& got) {
    meters().renewed.add(got.held.size());
    compare_clocks(got.clock_ahead);
    drop_lost(got.held);
    for (const auto& lease : got.held)
      if (!mine.contains(lease.partition) && !stopping
          && !releasing.contains(lease.partition))
        drive(lease);
    // A margin before its end nothing new is begun, so that a node that can't
    // renew stops before another one starts.
    good_until = asked + options.lease_time - options.lease_time / 5;
    for (const auto& [partition, one] : mine)
      self->send(one.driver, atom::renew_v, good_until);
    if (!stopping)
      balance(got);
    publish();
    self->request(store, options.lease_time, atom::sweep_v)
        .then([](int) {}, [](const caf::error&) {});
  }

  void compare_clocks(milliseconds ahead) {
    options.partition.counters->clock_ahead = ahead.count();
    const auto now_judged = judge_clock(ahead);
    if (now_judged == skew)
      return;
    skew = now_judged;
    options.partition.log(
        skew == clock_skew::none ? level::info : level::warn, name,
        "this node's clock is " + std::to_string(ahead.count())
            + " ms ahead of the database's"
            + (skew == clock_skew::none ? "" : "; see to its time service"));
  }

  void drop_lost(const lease_list& held) {
    for (auto place = mine.begin(); place != mine.end();) {
      const auto& one = place->second;
      if (std::find(held.begin(), held.end(), one.lease) != held.end()) {
        ++place;
        continue;
      }
      options.partition.log(level::warn, name,
                            "lost partition " + std::to_string(place->first));
      meters().lost.add();
      end(one.driver);
      place = mine.erase(place);
    }
  }

  void balance(const store::heartbeat& got) {
    const auto active =
        std::count_if(mine.begin(), mine.end(),
                      [](const auto& item) { return !item.second.draining; });
    const auto change = fair_share_change(got.partitions, got.live_nodes,
                                          static_cast<int>(active));
    if (change > 0 && got.free > 0)
      acquire(std::min(change, got.free));
    auto surplus = -change;
    for (auto place = mine.rbegin(); surplus > 0 && place != mine.rend();
         ++place)
      if (!place->second.draining) {
        place->second.draining = true;
        self->send(place->second.driver, atom::drain_v);
        changed = true; // nothing more is read for it
        --surplus;
      }
    options.partition.counters->leased = change <= 0;
  }

  void acquire(int count) {
    const auto asked = now();
    self->request(store, options.lease_time, atom::acquire_v, count)
        .then(
            [this, asked](const lease_list& got) {
              meters().acquired.add(got.size());
              if (!got.empty())
                options.partition.log(level::info, name,
                                      "took the lease of "
                                          + std::to_string(got.size())
                                          + " partitions");
              if (stopping) {
                give(got);
                return;
              }
              good_until = std::max(good_until, asked + options.lease_time
                                                    - options.lease_time / 5);
              for (const auto& lease : got)
                drive(lease);
              publish();
              options.partition.counters->leased = true;
            },
            [this](const caf::error& fault) {
              options.partition.log(level::warn, name,
                                    "no leases: " + text_of(fault));
            });
  }

  // -- drivers ---------------------------------------------------------------

  void drive(const store::lease& lease) {
    auto what = options.partition;
    what.lease = lease;
    auto driver = spawn_partition(self->system(), std::move(what),
                                  {workers[lease.partition % workers.size()],
                                   settler, reader, self, health});
    self->monitor(driver);
    self->send(driver, atom::renew_v, good_until);
    mine.insert_or_assign(lease.partition, driven{lease, driver, false});
    changed = true;
  }

  void end(const partition_actor& driver) {
    self->demonitor(driver->address());
    end_actor(driver);
    changed = true;
  }

  /// A driver that failed is started again under the same lease; only what it
  /// had in flight goes out again.
  void down(const caf::down_msg& what) {
    const auto place =
        std::find_if(mine.begin(), mine.end(), [&](const auto& item) {
          return item.second.driver == what.source;
        });
    if (place == mine.end())
      return;
    ++options.partition.counters->restarts;
    const auto wait = failures.failed(now());
    if (!wait) {
      options.partition.log(level::error, name, "drivers fail too often");
      self->quit(caf::exit_reason::unhandled_exception);
      return;
    }
    options.partition.log(level::error, name,
                          "the driver of partition "
                              + std::to_string(place->first)
                              + " failed and is started again");
    replace(place->second.lease);
  }

  /// First what its predecessor had settled is written: an outcome that waits
  /// for the database is no reason to send again (G6).
  void replace(const store::lease& lease) {
    self->request(settler, options.lease_time, atom::flush_v)
        .then([this, lease](bool) { replaced(lease); },
              [this, lease](const caf::error& fault) {
                if (fault == caf::sec::request_timeout)
                  replace(lease);
              });
  }

  void replaced(const store::lease& lease) {
    const auto place = mine.find(lease.partition);
    if (place == mine.end() || place->second.lease != lease)
      return;
    if (place->second.draining) {
      drained(lease.partition);
      return;
    }
    drive(lease);
    publish();
  }

  void publish() {
    options.partition.counters->partitions = mine.size();
    // Whoever holds the first partition samples for all.
    options.partition.counters->meters.backlog.wanted = mine.contains(0);
    if (!std::exchange(changed, false))
      return;
    owned_list all;
    for (const auto& [partition, one] : mine)
      if (!one.draining)
        all.push_back({partition, one.driver});
    self->send(reader, atom::own_v, std::move(all));
  }

  void apply(const live_options_ptr& fresh) {
    apply_live(*fresh, options);
    for (const auto& [partition, one] : mine)
      self->send(one.driver, atom::apply_v, fresh);
  }

  // -- giving back -----------------------------------------------------------

  void drained(std::uint16_t partition) {
    const auto place = mine.find(partition);
    if (place == mine.end())
      return;
    end(place->second.driver);
    const auto lease = place->second.lease;
    mine.erase(place);
    publish();
    give({lease});
    leave_if_done();
  }

  void give(const lease_list& leases) {
    // A heartbeat that is on its way may still list them.
    meters().released.add(leases.size());
    for (const auto& one : leases)
      options.partition.log(level::info, name,
                            "gives partition " + std::to_string(one.partition)
                                + " back");
    for (const auto& one : leases)
      releasing.insert(one.partition);
    returning.insert(returning.end(), leases.begin(), leases.end());
    give_next();
  }

  /// One statement at a time: what is drained meanwhile goes with the next, so
  /// that a stop does not wait for one commit after another.
  void give_next() {
    if (giving || returning.empty())
      return;
    giving = true;
    const auto leases = std::exchange(returning, {});
    const auto done = [this, leases] {
      for (const auto& one : leases)
        releasing.erase(one.partition);
      giving = false;
      give_next();
    };
    self->request(store, options.lease_time, atom::release_v, leases)
        .then([done](bool) { done(); },
              [this, done](const caf::error& fault) {
                done();
                options.partition.log(level::warn, name,
                                      "a lease runs out by itself: "
                                          + text_of(fault));
              });
  }

  caf::result<bool> stop() {
    if (gone)
      return *gone;
    stopped.push_back(self->make_response_promise<bool>());
    if (std::exchange(stopping, true))
      return stopped.back();
    self->delayed_send(self, options.stop_within, atom::leave_v);
    self->send(reader, atom::own_v, owned_list{});
    for (auto& [partition, one] : mine) {
      one.draining = true;
      self->send(one.driver, atom::drain_v);
    }
    leave_if_done();
    return stopped.back();
  }

  void leave_if_done() {
    if (stopping && mine.empty())
      leave(true);
  }

  /// Releases everything that is left, drained or not.
  void leave(bool clean) {
    if (std::exchange(left, true))
      return;
    options.partition.counters->leased = false;
    for (const auto& [partition, one] : mine)
      end(one.driver);
    if (clean)
      return release_all(true);
    // What is known is written while its lease is held: another node would
    // send it again (G6).
    self->request(settler, seconds{1}, atom::flush_v)
        .then([this](bool) { release_all(false); },
              [this](const caf::error&) { release_all(false); });
  }

  void release_all(bool clean) {
    self->request(store, seconds{2}, atom::leave_v)
        .then([this, clean](bool) { answer(clean); },
              [this](const caf::error&) { answer(false); });
  }

  void answer(bool clean) {
    gone = clean;
    for (auto& one : std::exchange(stopped, {}))
      one.deliver(clean);
  }

  node_ptr self;
  node_options options;
  lease_store_actor store;
  reader_actor reader;
  settler_actor settler;
  health_store_actor health;
  std::vector<http_worker_actor> workers;
  std::map<std::uint16_t, driven> mine;
  std::set<std::uint16_t> releasing;
  lease_list returning; ///< of them: not told to the store yet
  bool giving = false;
  time_point good_until{};
  restarts failures;
  std::vector<caf::typed_response_promise<bool>> stopped;
  std::optional<bool> gone; ///< left, and whether cleanly
  bool changed = false;
  bool beating = false;
  clock_skew skew = clock_skew::none;
  bool stopping = false;
  bool left = false;
};

node_supervisor_actor::behavior_type
node_supervisor(node_ptr self, node_options options, lease_store_actor store,
                reader_actor reader, settler_actor settler,
                health_store_actor health,
                std::vector<http_worker_actor> workers) {
  auto& st = self->state;
  st.options = std::move(options);
  st.store = std::move(store);
  st.reader = std::move(reader);
  st.settler = std::move(settler);
  st.health = std::move(health);
  st.workers = std::move(workers);
  self->set_down_handler([&st](caf::down_msg& what) { st.down(what); });
  self->send(self, atom::tick_v);
  return {
      [&st](atom::stop) { return st.stop(); },
      [&st](atom::drained, std::uint16_t partition) { st.drained(partition); },
      [&st](atom::apply, const live_options_ptr& fresh) { st.apply(fresh); },
      [&st](atom::tick) { st.beat(); },
      [&st](atom::leave) { st.leave(false); },
  };
}

} // namespace

node_supervisor_actor
spawn_node_supervisor(caf::actor_system& system, node_options options,
                      lease_store_actor store, reader_actor reader,
                      settler_actor settler, health_store_actor health,
                      std::vector<http_worker_actor> workers) {
  return system.spawn(node_supervisor, std::move(options), std::move(store),
                      std::move(reader), std::move(settler), std::move(health),
                      std::move(workers));
}

} // namespace postrider::actors
