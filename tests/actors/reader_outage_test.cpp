#include "tests/actors/reader_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class ReaderOutage : public reader_fixture {};

TEST_F(ReaderOutage, LosesNothingWhenTheStoreIsAwayForAWhile) {
  auto& zero = drive(0);
  own();
  world_.add();
  pass(100ms);
  world_.away = true;
  world_.add();
  pass(10s);
  EXPECT_FALSE(counters_->storage_up);
  EXPECT_EQ(zero.seen.claimed, (id_list{1}));
  world_.away = false;
  world_.add();
  pass(3s);
  EXPECT_EQ(zero.seen.claimed, (id_list{1, 2, 3}));
  EXPECT_TRUE(counters_->storage_up);
}

// G3: it had drawn ids for transactions that the crash has rolled back.
TEST_F(ReaderOutage, KeepsTheOrderOfIdsThatACrashGivesOutOnceMore) {
  auto& zero = drive(0);
  own();
  world_.add();
  const auto lost = world_.table.begin();
  for (int i = 0; i < 4; ++i)
    world_.table.draw(lost, sample_row(0, 1));
  world_.add();
  pass(100ms);
  ASSERT_EQ(zero.seen.claimed, (id_list{1, 6}));
  finish(1);
  finish(6);
  for (int i = 0; i < 9; ++i)
    world_.table.roll_back(world_.table.begin());
  const auto more = world_.table.begin();
  world_.table.draw(more, sample_row(0, 1));
  world_.table.draw(more, sample_row(0, 1));
  pass(100ms);
  world_.away = true;
  world_.table.roll_back(lost);
  world_.table.roll_back(more);
  world_.table.take_ids_back(0);
  world_.table.take_transactions_back();
  pass(1s);
  world_.away = false;
  const auto late = world_.table.begin(); // as before, and so are its ids
  world_.table.draw(late, sample_row(0, 1));
  pass(1s);
  world_.table.commit(late);
  pass(300ms);
  for (int i = 0; i < 3; ++i)
    world_.add();
  pass(1s);
  EXPECT_EQ(zero.seen.claimed, (id_list{1, 6, 7, 8, 9, 10}));
}

TEST_F(ReaderOutage, AsksALostStoreLessAndLessOften) {
  drive(0);
  world_.away = true;
  own();
  pass(10s);
  EXPECT_LT(world_.asked["start"], 20);
}

TEST_F(ReaderOutage, LosesNothingWithALostAnswer) {
  auto& zero = drive(0);
  own();
  id_list all;
  for (int i = 0; i < 8; ++i) {
    world_.silent = true; // whatever is asked next
    all.push_back(world_.add(1 + i));
    tell(reader_, atom::wake_v);
    pass(i % 2 ? 7ms : 130ms);
  }
  pass(std::chrono::minutes{9});
  auto got = zero.seen.claimed;
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, all);
}

TEST_F(ReaderOutage, ReadsAgainWhatItHasNoContentsFor) {
  auto& zero = drive(0);
  own();
  pass(100ms);
  world_.at_read = [this] { world_.away = true; }; // for the contents only
  world_.add();
  pass(50ms);
  world_.at_read = nullptr;
  world_.away = false;
  pass(3s);
  EXPECT_EQ(zero.seen.claimed, (id_list{1}));
}

} // namespace
} // namespace postrider
