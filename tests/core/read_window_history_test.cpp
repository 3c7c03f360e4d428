#include "tests/core/read_window_history.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

// Late commits, roll-backs, lost answers, partitions that come and go, shares,
// retries: whatever happens, every committed delivery is read, none is handed
// out twice or after it was finished, and no bound is passed. The slow sweep
// is off in the end, so nothing is found by that net alone. (G2, G12, S3.54)
TEST(ReadWindow, KeepsItsPromisesInEveryHistory) {
  constexpr unsigned histories = 2'000;
  for (unsigned seed = 1; seed <= histories; ++seed) {
    const auto fault = testing::window_history{seed}.run(400);
    ASSERT_EQ(fault, "") << "seed " << seed;
  }
}

// Endpoints that are held, tried, reopened and parked at any moment, by late
// commits too: what had been committed when an endpoint was reopened begins in
// the order of ids, and nothing that is held is left behind (G3, DESIGN 6).
TEST(ReadWindow, KeepsItsPromisesWhileEndpointsAreSickAndHeal) {
  constexpr unsigned histories = 1'000;
  for (unsigned seed = 1; seed <= histories; ++seed) {
    const auto fault = testing::window_history{seed, true}.run(600);
    ASSERT_EQ(fault, "") << "seed " << seed;
  }
}

} // namespace
} // namespace postrider
