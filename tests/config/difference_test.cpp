#include "config/difference.hpp"

#include <gtest/gtest.h>

namespace postrider::config {

using namespace std::chrono_literals;

TEST(ConfigDifference, NamesEachKeyWithBothValuesAndWhenItApplies) {
  config before;
  auto after = before;
  after.http.timeout = 10s;
  after.node.threads = 3;
  const auto all = difference(before, after);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].key, "node.threads");
  EXPECT_FALSE(all[0].on_reload);
  EXPECT_EQ(all[1].key, "http.timeout");
  EXPECT_EQ(all[1].before, "\"15s\"");
  EXPECT_EQ(all[1].after, "\"10s\"");
  EXPECT_TRUE(all[1].on_reload);
  EXPECT_TRUE(difference(before, before).empty());
}

TEST(ConfigDifference, SeesThatASecretChangedAndDoesNotShowIt) {
  config before;
  before.api.key = "one-secret-of-the-api";
  auto after = before;
  after.api.key = "another-secret-of-it";
  const auto all = difference(before, after);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].before, "\"…\"");
  EXPECT_EQ(all[0].after, "\"…\"");
}

TEST(ConfigDifference, AReloadLeavesWhatNeedsARestart) {
  config running;
  auto wanted = running;
  wanted.http.timeout = 10s;
  wanted.node.threads = 3;
  wanted.storage.url = "postgresql:///other";
  const auto made = after_reload(running, wanted);
  EXPECT_EQ(made.http.timeout, 10s);
  EXPECT_EQ(made.node.threads, running.node.threads);
  EXPECT_EQ(made.storage.url, running.storage.url);
}

} // namespace postrider::config
