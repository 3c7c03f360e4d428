#include "app/engine_settings.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;

TEST(EngineSettings, MakeTheDefaultPolicyOutOfTheUntouchedConfiguration) {
  const auto made = app::live_options({});
  EXPECT_EQ(made.health, *find_health_policy("default"));
  EXPECT_EQ(made.tenant_max_in_flight, 1000);
  EXPECT_EQ(made.tenant_rate, 0);
}

TEST(EngineSettings, TakeEveryKeyOfHealthAndLimits) {
  config::config from;
  from.health = {2, 4, 0.25, 9, 30s, {1s, 2s}, 1h, "shed", 77, 3};
  from.limits = {8, 1.5};
  const auto made = app::live_options(from);
  health_policy wanted;
  wanted.degraded_after = 2;
  wanted.auth_after = 4;
  wanted.failure_ratio = 0.25;
  wanted.ratio_min = 9;
  wanted.ratio_window = 30s;
  wanted.cooldowns = {1s, 2s};
  wanted.max_suspended = 1h;
  wanted.shed = true;
  wanted.held_max = 77;
  wanted.ramp_start = 3;
  EXPECT_EQ(made.health, wanted);
  EXPECT_EQ(made.tenant_max_in_flight, 8);
  EXPECT_EQ(made.tenant_rate, 1.5);
}

} // namespace
} // namespace postrider
