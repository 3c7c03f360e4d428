#pragma once

#include "actors/messages.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace postrider::testing {

/// Runs actors one message at a time on the test's own thread, with a clock
/// that moves only when the test moves it.
class actor_fixture : public ::testing::Test {
  struct config : caf::actor_system_config {
    config() { set("scheduler.policy", caf::atom("testing")); }
  };

  config config_;

protected:
  caf::actor_system system{config_};

  /// Ends `actor` with the test. One left ticking would hang the teardown.
  template <class Handle>
  Handle keep(Handle actor) {
    endings_.push_back(
        [actor] { caf::anon_send_exit(actor, caf::exit_reason::kill); });
    return actor;
  }

  /// Lets every message be handled.
  void settle() {
    while (scheduler_.try_run_once()) {
    }
  }

  template <class Handle, class... Ts>
  void tell(const Handle& to, Ts&&... xs) {
    caf::anon_send(to, std::forward<Ts>(xs)...);
    settle();
  }

  /// Moves the clock, a millisecond at a time: a timer that is set again on
  /// the way runs as often as it would.
  void pass(std::chrono::milliseconds by) {
    constexpr std::chrono::milliseconds step{1};
    for (; by > step; by -= step) {
      scheduler_.advance_time(step);
      settle();
    }
    scheduler_.advance_time(by);
    settle();
  }

  /// Moves the clock and lets nothing run yet; for use inside a fake.
  void advance(std::chrono::milliseconds by) { scheduler_.advance_time(by); }

  actors::time_point now() { return system.clock().now(); }

  void TearDown() override {
    for (auto& end : std::exchange(endings_, {}))
      end();
    settle();
  }

private:
  caf::scheduler::test_coordinator& scheduler_ =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::vector<std::function<void()>> endings_;
};

} // namespace postrider::testing
