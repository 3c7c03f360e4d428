#include "actors/meters.hpp"

#include "core/uuid.hpp"

#include <gtest/gtest.h>

namespace postrider::actors {
namespace {

using namespace std::chrono_literals;

const auto now = std::chrono::system_clock::time_point{1'700'000'000s};

store::settlement outcome(delivery_state state) {
  store::settlement out;
  out.event =
      make_uuid_v7(std::chrono::floor<std::chrono::milliseconds>(now - 2s),
                   std::array<std::uint8_t, 10>{});
  out.state = state;
  out.duration = 30ms;
  return out;
}

TEST(SettleMeters, TellFirstTriesFromLaterOnes) {
  settle_meters of;
  auto one = outcome(delivery_state::succeeded);
  one.status = 200;
  of.record(one, true, now);
  one.attempts = 3;
  of.record(one, true, now);
  EXPECT_EQ(of.succeeded.value(), 2u);
  EXPECT_EQ(of.finished[0].value(), 2u);
  for (const auto& by_try : of.lifetime[0]) {
    distribution all;
    by_try.add_to(all);
    EXPECT_EQ(all.sum, 2'000'000'000u);
  }
}

TEST(SettleMeters, CountAnOutcomeThatLostItsFenceAsNothingElse) {
  settle_meters of;
  of.record(outcome(delivery_state::succeeded), false, now);
  auto unsent = outcome(delivery_state::failed);
  unsent.sent = false;
  of.record(unsent, false, now);
  EXPECT_EQ(of.fenced.value(), 2u);
  EXPECT_EQ(of.duplicates_fenced.value(), 1u);
  EXPECT_EQ(of.succeeded.value(), 0u);
  EXPECT_EQ(of.finished[0].value(), 0u);
  EXPECT_EQ(of.finished[1].value(), 0u);
}

TEST(SettleMeters, TellRetriesByStepAndReason) {
  settle_meters of;
  auto one = outcome(delivery_state::retrying);
  one.status = 503;
  of.record(one, true, now);
  one.status.reset();
  one.error = attempt_error::connect_refused;
  one.attempts = 40;
  of.record(one, true, now);
  EXPECT_EQ(of.statuses[5].value(), 1u);
  EXPECT_EQ(of.retries[0][0].value(), 1u);
  const auto refused = static_cast<std::size_t>(attempt_error::connect_refused);
  EXPECT_EQ(of.errors[refused].value(), 1u);
  EXPECT_EQ(of.retries[settle_meters::steps - 1][refused].value(), 1u);
  EXPECT_EQ(of.finished[1].value(), 0u);
}

TEST(SettleMeters, CountWhatEndedUnsentAsNoAttempt) {
  settle_meters of;
  auto one = outcome(delivery_state::failed);
  one.reason = end_reason::expired;
  one.sent = false;
  of.record(one, true, now);
  EXPECT_EQ(of.finished[1].value(), 1u);
  EXPECT_EQ(of.failed[static_cast<std::size_t>(end_reason::expired)].value(),
            1u);
  for (const auto& error : of.errors)
    EXPECT_EQ(error.value(), 0u);
  // A number that is no status has a place of its own.
  one.sent = true;
  one.status = 999;
  of.record(one, true, now);
  EXPECT_EQ(of.statuses[0].value(), 1u);
}

} // namespace
} // namespace postrider::actors
