#pragma once

#include "actors/messages.hpp"
#include "actors/metered.hpp"

#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

namespace postrider::bench {

/// Runs actors on the benchmark's own thread, metered as in a node, with a
/// clock that moves only when it is told to. So the time is that of their work
/// and their messages, without the waking of another thread; what that costs
/// is in actor_hop_bench.cpp.
class actor_stage {
public:
  actor_stage() = default;
  actor_stage(const actor_stage&) = delete;
  actor_stage& operator=(const actor_stage&) = delete;
  ~actor_stage() {
    for (auto& end : endings_)
      end();
    run();
  }

  caf::actor_system& system() { return system_; }
  actors::time_point now() { return system_.clock().now(); }

  /// Ends it with the stage.
  template <class Handle>
  Handle keep(Handle actor) {
    endings_.push_back(
        [actor] { caf::anon_send_exit(actor, caf::exit_reason::kill); });
    return actor;
  }

  template <class Handle, class... Ts>
  void tell(const Handle& to, Ts&&... xs) {
    caf::anon_send(to, std::forward<Ts>(xs)...);
  }

  /// Until nobody has anything to do.
  void run() {
    auto& jobs = scheduler_.jobs;
    while (!jobs.empty()) {
      auto* job = jobs.front();
      jobs.pop_front();
      if (job->resume(&unit_, throughput) == caf::resumable::resume_later)
        jobs.push_back(job);
      else
        caf::intrusive_ptr_release(job);
    }
  }

  void pass(std::chrono::milliseconds by) { scheduler_.advance_time(by); }

private:
  // As CAF's own workers: messages before another actor has its turn.
  static constexpr std::size_t throughput = 300;

  struct config : actors::metered_config {
    config() { set("scheduler.policy", caf::atom("testing")); }
  };

  struct unit : caf::execution_unit {
    explicit unit(caf::actor_system* of,
                  caf::scheduler::test_coordinator& scheduler)
        : caf::execution_unit{of}, to{scheduler} {}
    void exec_later(caf::resumable* job) override { to.jobs.push_back(job); }

    caf::scheduler::test_coordinator& to;
  };

  config config_;
  caf::actor_system system_{config_};
  caf::scheduler::test_coordinator& scheduler_ =
      dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  unit unit_{&system_, scheduler_};
  std::vector<std::function<void()>> endings_;
};

} // namespace postrider::bench
