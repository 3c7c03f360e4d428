#include "actors/metered.hpp"
#include "actors/protocol.hpp"
#include "tests/support/eventually.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace postrider::actors {
namespace {

using namespace std::chrono_literals;
using postrider::testing::eventually;

/// Holds its thread until the door opens; fails at -1.
using porter_actor =
    caf::typed_actor<caf::reacts_to<atom::drained, std::uint16_t>>;
struct porter_state {
  static constexpr const char* name = "porter";
  explicit porter_state(metered_pointer<porter_actor, porter_state>) {}
};

porter_actor::behavior_type porter(metered_pointer<porter_actor, porter_state>,
                                   std::shared_future<void> door) {
  return {[door](atom::drained, std::uint16_t what) {
    door.wait();
    if (what == 1)
      throw std::runtime_error{"as it was told"};
  }};
}

struct Pulse : ::testing::Test {
  ~Pulse() override {
    if (!open_)
      door_.set_value();
  }

  void open() {
    open_ = true;
    door_.set_value();
  }

  porter_actor start() {
    return system.spawn<caf::detached>(porter, door_.get_future().share());
  }

  actor_reading read() {
    for (auto& one : config.board->read())
      if (one.kind == "porter")
        return one;
    return {};
  }

  metered_config config;
  caf::actor_system system{config};

private:
  std::promise<void> door_;
  bool open_ = false;
};

TEST_F(Pulse, ShowsAMailboxThatFillsWhileAHandlerRuns) {
  const auto one = start();
  for (int i = 0; i < 10; ++i)
    caf::anon_send(one, atom::drained_v, std::uint16_t{0});
  ASSERT_TRUE(eventually([&] { return read().mailbox == 10; }));
  ASSERT_TRUE(eventually([&] { return read().stuck > 20ms; }));
  EXPECT_EQ(read().busy, 1u);
  EXPECT_EQ(read().messages, 0u);
  open();
  ASSERT_TRUE(eventually([&] { return read().messages == 10; }));
  EXPECT_EQ(read().mailbox, 0u);
  ASSERT_TRUE(eventually([&] { return read().stuck == 0ms; }));
  EXPECT_GE(read().spent.sum, 20'000'000u);
  caf::anon_send_exit(one, caf::exit_reason::kill);
}

TEST_F(Pulse, KeepsWhatAnActorDidThatHasEnded) {
  const auto one = start();
  open();
  caf::anon_send(one, atom::drained_v, std::uint16_t{0});
  caf::anon_send(one, atom::drained_v, std::uint16_t{1});
  // A handler that throws is over too.
  ASSERT_TRUE(eventually(
      [&] { return read().messages == 2 && read().instances == 0; }));
  EXPECT_EQ(read().mailbox, 0u);
  EXPECT_EQ(read().busy, 0u);
}

} // namespace
} // namespace postrider::actors
