#include "tests/actors/reader_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class Reader : public reader_fixture {};

TEST_F(Reader, AsksForNothingWithoutPartitions) {
  tell(reader_, atom::wake_v);
  pass(1s);
  EXPECT_TRUE(world_.asked.empty());
}

TEST_F(Reader, HandsEachRowToTheDriverOfItsPartition) {
  auto& zero = drive(0);
  auto& one = drive(1);
  own();
  world_.add(1, 0);
  world_.add(2, 1);
  world_.add(3, 0);
  world_.add(4, 2); // not driven here
  pass(100ms);
  EXPECT_EQ(zero.seen.claimed, (id_list{1, 3}));
  EXPECT_EQ(one.seen.claimed, (id_list{2}));
  EXPECT_EQ(counters_->in_window, 3u);
  ASSERT_EQ(one.seen.works.size(), 1u);
  EXPECT_EQ(one.seen.works[0].to->id, 2);
  EXPECT_TRUE(one.seen.works[0].event);
}

TEST_F(Reader, ReadsWhatStoodThereBeforeItCame) {
  world_.add();
  world_.add();
  auto& zero = drive(0);
  own();
  EXPECT_EQ(zero.seen.claimed, (id_list{1, 2}));
}

// A driver that goes on with what another one had in flight has its say about
// an endpoint before anything was read for it.
TEST_F(Reader, KeepsAGateThatIsSetBeforeItKnowsWhereToBegin) {
  const auto by = world_.table.begin();
  auto row = sample_row(0, 1);
  row.held = true;
  world_.table.draw(by, row);
  world_.table.commit(by);
  auto& zero = drive(0);
  world_.away = true;
  own();
  tell(reader_, atom::gate_v, actors::gate_change{0, 1, read_gate::reopen, {}});
  world_.away = false;
  pass(3s);
  EXPECT_EQ(zero.seen.claimed, (id_list{1}));
}

// Another partition is gained, or the same is said once more, before it knows.
TEST_F(Reader, KeepsAnEarlyGateWhateverItIsToldMeanwhile) {
  const auto by = world_.table.begin();
  auto row = sample_row(0, 1);
  row.held = true;
  world_.table.draw(by, row);
  world_.table.commit(by);
  auto& zero = drive(0);
  own();
  EXPECT_TRUE(zero.seen.claimed.empty());
  auto& next = drive(0); // in its place
  world_.away = true;
  own();
  tell(reader_, atom::gate_v, actors::gate_change{0, 1, read_gate::reopen, {}});
  own();
  drive(1);
  own();
  world_.away = false;
  pass(3s);
  EXPECT_EQ(next.seen.claimed, (id_list{1}));
}

TEST_F(Reader, ReadsOnlyAsMuchAsThereIsRoomFor) {
  auto& zero = drive(0);
  own();
  for (int i = 0; i < 60; ++i)
    world_.add(1 + i % 9);
  pass(2s);
  EXPECT_LE(zero.seen.claimed.size(), 20u);
  for (std::size_t i = 0; i < zero.seen.claimed.size(); ++i)
    finish(zero.seen.claimed[i]);
  pass(1s);
  auto all = zero.seen.claimed;
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all.size(), 60u);
  EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end());
}

// G9
TEST_F(Reader, ReadsPastABacklogOfOneEndpoint) {
  auto& zero = drive(0);
  own();
  for (int i = 0; i < 50; ++i)
    world_.add(1);
  const auto other = world_.add(2);
  pass(100ms);
  EXPECT_EQ(zero.seen.claimed, (id_list{1, 2, 3, 4, other}));
  for (std::int64_t id = 1; id <= 4; ++id)
    finish(id);
  EXPECT_EQ(zero.seen.claimed.size(), 9u);
}

// DESIGN 4.3
TEST_F(Reader, FindsALateCommit) {
  auto& zero = drive(0);
  own();
  const auto slow = world_.table.begin();
  const auto late = world_.table.draw(slow, sample_row(0, 3));
  world_.add();
  pass(100ms);
  EXPECT_EQ(zero.seen.claimed, (id_list{2}));
  world_.table.commit(slow);
  pass(100ms);
  EXPECT_EQ(zero.seen.claimed, (id_list{2, late}));
}

// S3.54: a node whose driver has failed knows nothing of its rows.
TEST_F(Reader, GivesANewDriverTheRowsOfTheOneBefore) {
  drive(0);
  auto& one = drive(1);
  own();
  world_.add(1, 0);
  world_.add(2, 1);
  pass(100ms);
  auto& again = drive(0);
  own();
  pass(100ms);
  EXPECT_EQ(again.seen.claimed, (id_list{1}));
  EXPECT_EQ(one.seen.claimed, (id_list{2}));
}

TEST_F(Reader, HandsOutNothingOfAPartitionThatWasLostMeanwhile) {
  auto& zero = drive(0);
  own();
  world_.hold_contents = true;
  world_.add();
  pass(100ms);
  owned_.clear();
  own();
  tell(store_, atom::free_v);
  pass(100ms);
  EXPECT_TRUE(zero.seen.claimed.empty());
  EXPECT_EQ(counters_->in_window, 0u);
}

// Another node had it in between, and has finished the row.
TEST_F(Reader, ReadsAGainedPartitionAnew) {
  drive(0);
  own();
  world_.hold_contents = true;
  const auto id = world_.add();
  pass(100ms);
  owned_.clear();
  own();
  world_.table.remove(id);
  world_.hold_contents = false;
  const auto next = world_.add();
  auto& again = drive(0);
  own();
  tell(store_, atom::free_v);
  pass(100ms);
  EXPECT_EQ(again.seen.claimed, (id_list{next}));
}

TEST_F(Reader, HandsOutADueRetryOnceItIsDue) {
  auto& zero = drive(0);
  own();
  const auto id = world_.add();
  pass(100ms);
  world_.table.retry(id, world_.table.now + 1'000'000);
  tell(reader_, atom::left_v, actors::id_list{id});
  pass(500ms);
  EXPECT_EQ(zero.seen.claimed.size(), 1u);
  world_.table.now += 2'000'000;
  pass(500ms);
  ASSERT_EQ(zero.seen.claimed, (id_list{id, id}));
  EXPECT_EQ(zero.seen.works[1].row.attempts, 1);
}

// What is due must not wait for the end of a steady flow of new events.
TEST_F(Reader, ReadsDueRetriesAndSharesInASteadyFlow) {
  auto& zero = drive(0);
  own();
  const auto id = world_.add(9);
  pass(100ms);
  world_.table.retry(id, world_.table.now - 1);
  tell(reader_, atom::left_v, actors::id_list{id});
  for (int i = 0; i < 6; ++i)
    world_.add(8); // more than its share
  // Each read takes a while, and more is committed meanwhile.
  int flow = 0;
  std::size_t done = 1; // the first claim became the retry
  std::optional<int> seen_again;
  world_.at_read = [&] {
    const auto& claimed = zero.seen.claimed;
    for (; done < claimed.size(); ++done) {
      if (claimed[done] == id)
        seen_again = flow;
      world_.table.remove(claimed[done]);
      caf::anon_send(reader_, atom::left_v, id_list{claimed[done]});
    }
    if (++flow < 1'000) {
      world_.add(1 + flow % 3);
      advance(1ms);
    }
  };
  tell(reader_, atom::wake_v);
  ASSERT_TRUE(seen_again);
  EXPECT_LT(*seen_again, 500);
  EXPECT_GT(world_.asked["share"], 0);
}

TEST_F(Reader, DoesNotAskOverAndOverWithoutRoom) {
  drive(0);
  own();
  for (int i = 0; i < 60; ++i)
    world_.add(1 + i % 9);
  pass(1s);
  world_.asked.clear();
  pass(1s);
  int all = 0;
  for (const auto& [what, many] : world_.asked)
    all += many;
  EXPECT_LT(all, 60); // a look every 50 ms, and the endpoints
}

TEST_F(Reader, TellsTheDriverOfAChangedEndpoint) {
  auto& zero = drive(0);
  own();
  world_.add(1);
  pass(100ms);
  endpoint moved = *world_.endpoints[1];
  moved.version = 2;
  world_.endpoints[1] = std::make_shared<const endpoint>(moved);
  world_.changed = {world_.endpoints[1]};
  tell(reader_, atom::changed_v);
  ASSERT_EQ(zero.seen.endpoints.size(), 1u);
  EXPECT_EQ(zero.seen.endpoints[0]->version, 2);
  world_.add(1);
  pass(100ms);
  EXPECT_EQ(zero.seen.works.at(1).to->version, 2);
}

TEST_F(Reader, SaysWhenTheEndpointIsNotThere) {
  auto& zero = drive(0);
  own();
  world_.add(77);
  pass(100ms);
  ASSERT_EQ(zero.seen.works.size(), 1u);
  EXPECT_FALSE(zero.seen.works[0].to);
}

// RELIABILITY A-12: the message that brought them was lost.
TEST_F(Reader, AsksForWhatItIsNotToldTheEndOfAndReadsItAgain) {
  auto& zero = drive(0);
  own();
  world_.add(1);
  world_.add(2);
  pass(6s);
  auto asked = flights_->doubted(0);
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(asked, (id_list{1, 2}));
  flights_->disown({2});
  pass(3s);
  EXPECT_EQ(zero.seen.claimed, (id_list{1, 2, 2}));
  EXPECT_EQ(counters_->in_window, 2u);
}

// The net behind everything: a row that no rule foresaw is found.
TEST_F(Reader, SweepsSlowlyForWhatNoOtherReadHas) {
  auto& zero = drive(0);
  own();
  const auto hidden = world_.table.begin();
  world_.table.draw(hidden, sample_row(0, 2));
  world_.table.commit(hidden);
  world_.table.retry(1, 5); // due long ago
  world_.add();
  pass(3s);
  EXPECT_EQ(zero.seen.claimed.size(), 2u);
  EXPECT_GT(world_.asked["sweep"], 5);
}

} // namespace
} // namespace postrider
