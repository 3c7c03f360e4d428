#pragma once

#include "actors/node_supervisor.hpp"
#include "tests/simulation/model_network.hpp"
#include "tests/simulation/model_stores.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <memory>
#include <optional>
#include <string>

namespace postrider::testing {

/// Who of a node is there now; they change when they fail.
struct node_handles {
  std::optional<actors::reader_actor> reader;
  std::optional<actors::node_supervisor_actor> supervisor;
};

/// One node of a run: the real actors from the heartbeat to the outcome, in an
/// actor system of their own whose messages are handled one by one when the
/// run says so. Its steady clock shows something else than that of others.
class sim_node {
public:
  sim_node(world& in, model_database& database, model_network& network,
           std::string name);
  /// As kill -9: nothing of it is said to anybody any more.
  ~sim_node();
  sim_node(const sim_node&) = delete;
  sim_node& operator=(const sim_node&) = delete;

  bool has_job() const { return !scheduler_.jobs.empty(); }
  /// Handles one message of one actor.
  void run_one();
  /// When its next timer is due, in model time.
  std::optional<nanos> next_timer() const;
  /// Lets its clock show the present, and what is due happen.
  void catch_up();

  void ingest(const actors::ingest_call_ptr& call);
  /// The ordered way out.
  void stop();
  bool stopped() const { return *stopped_; }
  bool stopped_clean() const { return *clean_; }
  /// A part of it fails at its next message. Nothing may be lost by that, and
  /// nothing sent again.
  void end_driver();
  void end_breaker();
  void end_settler();
  /// The reader, and with it all that delivers, as the root supervisor does.
  void end_reader();

  const std::string& name() const { return link_->name; }
  node_link& link() { return *link_; }
  const uuid& id() const { return who_.node; }

private:
  struct config : caf::actor_system_config {
    config() { set("scheduler.policy", caf::atom("testing")); }
  };

  using handles = std::vector<caf::strong_actor_ptr>;

  void spawn_outcomes();
  void spawn_delivery();
  template <class Handle>
  Handle keep(Handle one, handles& in) {
    in.push_back(caf::actor_cast<caf::strong_actor_ptr>(one));
    return one;
  }
  static void fail(handles& all);
  /// After a while, if it still runs.
  void again(void (sim_node::*spawn)());
  actors::surroundings around();
  bool may_fail();
  void lose_some(caf::scheduled_actor& of);
  void count_rare_paths();

  world& in_;
  model_network& network_;
  std::shared_ptr<node_link> link_;
  asker who_;
  store_site site_;
  actors::log_sink log_;
  actors::counters_ptr counters_ = std::make_shared<actors::counters>();
  std::shared_ptr<bool> stopped_ = std::make_shared<bool>(false);
  std::shared_ptr<bool> clean_ = std::make_shared<bool>(false);
  std::vector<nanos> failures_;
  std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);

  config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_;
  actors::node_options running_;
  handles outcomes_;
  handles delivery_;
  handles services_;
  std::shared_ptr<node_handles> now_ = std::make_shared<node_handles>();
  actors::root_supervisor_actor root_;
  actors::ingester_actor ingester_;
};

} // namespace postrider::testing
