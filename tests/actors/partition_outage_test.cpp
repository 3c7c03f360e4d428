#include "tests/actors/partition_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// A driver of a node that can't reach anybody.
class PartitionOutage : public testing::partition_fixture {
protected:
  static constexpr std::int64_t endpoints = 8;

  PartitionOutage() {
    for (std::int64_t id = 1; id <= endpoints; ++id) {
      endpoint_ = sample_endpoint(id);
      claim({sample_row(id, id)});
    }
  }
  /// Whatever is in flight and was not answered yet ends in the same way.
  void all_end(const attempt_result& how) {
    for (const auto upto = jobs_.size(); answered_ < upto; ++answered_)
      answer(answered_, how);
  }

  std::size_t answered_ = 0;
};

// C-20: nothing is burnt beyond what it takes to notice, nobody is blamed, and
// few requests go out until one comes through.
TEST_F(PartitionOutage, IsLaidOnThisNodeAndNotOnTheReceivers) {
  ASSERT_EQ(jobs_.size(), std::size_t{endpoints});
  all_end(broken(attempt_error::network_unreachable));
  const auto burnt = record_.settled.size();
  EXPECT_LT(burnt, 5U);
  EXPECT_TRUE(sick_.moves.empty());
  const auto before = jobs_.size();
  for (int second = 0; second < 60; ++second) {
    pass(1s);
    all_end(broken(attempt_error::connect_timeout));
  }
  EXPECT_EQ(record_.settled.size(), burnt);
  EXPECT_TRUE(sick_.moves.empty());
  EXPECT_LE(jobs_.size() - before, 4U * 60U);
  EXPECT_GT(jobs_.size(), before) << "it goes on trying";
}

TEST_F(PartitionOutage, EndsWithTheFirstThatComesThrough) {
  all_end(broken(attempt_error::network_unreachable));
  const auto burnt = record_.settled.size();
  pass(1s);
  ASSERT_GT(jobs_.size(), answered_);
  answer(answered_++, answered(200));
  all_end(answered(200));
  pass(5s);
  all_end(answered(200));
  EXPECT_EQ(record_.settled.size(), std::size_t{endpoints});
  for (std::size_t i = burnt; i < record_.settled.size(); ++i) {
    EXPECT_EQ(record_.settled[i].state, delivery_state::succeeded);
    EXPECT_EQ(record_.settled[i].attempts, 0);
  }
}

// Who is refused by some and served by others has a network that works.
TEST_F(PartitionOutage, IsNoneWhileAnybodyAnswers) {
  answer(0, answered(200));
  ++answered_;
  all_end(broken(attempt_error::connect_timeout));
  EXPECT_EQ(record_.settled.size(), std::size_t{endpoints});
}

} // namespace
} // namespace postrider
