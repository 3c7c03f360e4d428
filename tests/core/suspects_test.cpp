#include "core/suspects.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

TEST(Suspects, ConvictsAtTheThirdTime) {
  suspects all;
  EXPECT_TRUE(all.empty());
  all.blame(7);
  all.blame(8);
  all.blame(7);
  EXPECT_FALSE(all.convicted(7));
  all.blame(7);
  EXPECT_TRUE(all.convicted(7));
  EXPECT_FALSE(all.convicted(8));
  EXPECT_FALSE(all.convicted(9));
}

TEST(Suspects, ForgetsWhatHasEnded) {
  suspects all;
  for (int i = 0; i < 3; ++i)
    all.blame(7);
  all.forget(7);
  EXPECT_FALSE(all.convicted(7));
  EXPECT_TRUE(all.empty());
  all.blame(7);
  EXPECT_FALSE(all.convicted(7));
}

TEST(Suspects, AreBounded) {
  suspects all;
  for (std::int64_t id = 1; id <= 3; ++id)
    for (int i = 0; i < 3; ++i)
      all.blame(id);
  for (std::int64_t id = 100; id < 1'098; ++id)
    all.blame(id);
  EXPECT_FALSE(all.convicted(1));
  EXPECT_TRUE(all.convicted(2));
}

} // namespace
} // namespace postrider
