#include "tests/actors/reader_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// A reader that is told what its node has committed (DESIGN 4.8).
class ReaderHandover : public reader_fixture {
protected:
  ReaderHandover() {
    own();
    // It has read all there is, and knows the endpoint.
    const auto id = world_.add();
    pass(100ms);
    finish(id);
    zero_.seen = {};
    world_.asked.clear();
  }

  /// A delivery that this node has committed.
  std::int64_t add(std::int64_t endpoint = 1) {
    const auto id = world_.add(endpoint);
    const auto row = *world_.table.find(id);
    batch_.made.push_back({row, true});
    event_content event;
    event.id = row.event;
    event.payload = std::make_shared<const std::string>("as accepted");
    batch_.events.push_back(std::make_shared<const event_content>(event));
    return id;
  }
  void hand_over() {
    tell(reader_, atom::fresh_v,
         std::make_shared<const actors::fresh_batch>(batch_));
    batch_ = {};
  }

  driver& zero_ = drive(0);
  actors::fresh_batch batch_;
};

TEST_F(ReaderHandover, GoesToItsDriverWithoutAQuestion) {
  const auto id = add();
  hand_over();
  EXPECT_EQ(zero_.seen.claimed, (id_list{id}));
  for (const auto* question : {"peek", "read", "content"})
    EXPECT_EQ(world_.asked[question], 0) << question;
  ASSERT_EQ(zero_.seen.works.size(), 1u);
  EXPECT_EQ(*zero_.seen.works[0].event->payload, "as accepted");
  EXPECT_EQ(zero_.seen.works[0].to->id, 1);
  EXPECT_EQ(counters_->handed_over, 1u);
  pass(5s);
  EXPECT_EQ(zero_.seen.claimed, (id_list{id})) << "once";
}

TEST_F(ReaderHandover, AsksForAnEndpointThatItDoesNotKnow) {
  const auto id = add(2);
  hand_over();
  EXPECT_EQ(zero_.seen.claimed, (id_list{id}));
  EXPECT_EQ(world_.asked["content"], 1);
  EXPECT_EQ(*zero_.seen.works[0].event->payload, "as accepted");
}

TEST_F(ReaderHandover, AsksForWhatWasTooLargeToTell) {
  const auto id = add();
  batch_.events.clear();
  hand_over();
  EXPECT_EQ(zero_.seen.claimed, (id_list{id}));
  EXPECT_EQ(world_.asked["content"], 1);
}

TEST_F(ReaderHandover, ReadsWhereOthersHaveDrawnIdsBefore) {
  const auto before = world_.add(); // nobody tells of it
  const auto id = add();
  hand_over();
  EXPECT_EQ(zero_.seen.claimed, (id_list{before, id}));
  EXPECT_EQ(world_.asked["peek"], 0);
  EXPECT_EQ(world_.asked["read"], 1);
  EXPECT_EQ(counters_->handed_over, 0u);
}

TEST_F(ReaderHandover, LooksForWhatItIsToldNothingOf) {
  const auto id = world_.add();
  hand_over(); // too many to tell
  EXPECT_EQ(zero_.seen.claimed, (id_list{id}));
}

TEST_F(ReaderHandover, WaitsForTheAnswerThatIsOnItsWay) {
  world_.hold_contents = true;
  const auto first = world_.add();
  tell(reader_, atom::wake_v);
  const auto id = add();
  hand_over();
  EXPECT_TRUE(zero_.seen.claimed.empty());
  tell(store_, atom::free_v);
  EXPECT_EQ(zero_.seen.claimed, (id_list{first, id}));
  EXPECT_EQ(counters_->handed_over, 1u);
}

TEST_F(ReaderHandover, IsWaitedForWhileItIsCommitted) {
  counters_->ingests = 1;
  const auto by = world_.table.begin();
  const auto id = world_.table.draw(by, sample_row(0, 1));
  tell(reader_, atom::wake_v);
  EXPECT_EQ(world_.asked["peek"], 1);
  EXPECT_EQ(world_.asked["read"], 0) << "there is nothing to be seen yet";
  world_.table.commit(by);
  batch_.made.push_back({*world_.table.find(id), true});
  hand_over();
  EXPECT_EQ(zero_.seen.claimed, (id_list{id}));
  EXPECT_EQ(world_.asked["read"], 0);
}

TEST_F(ReaderHandover, IsNotWaitedForTwice) {
  counters_->ingests = 1; // of something else
  const auto id = world_.add();
  tell(reader_, atom::wake_v);
  EXPECT_TRUE(zero_.seen.claimed.empty());
  pass(5ms);
  EXPECT_EQ(zero_.seen.claimed, (id_list{id}));
}

TEST_F(ReaderHandover, IsWaitedForWhereItFillsAGap) {
  counters_->ingests = 1;
  const auto by = world_.table.begin();
  const auto first = world_.table.draw(by, sample_row(0, 1));
  const auto second = add();
  hand_over();
  EXPECT_TRUE(zero_.seen.claimed.empty());
  world_.table.commit(by);
  batch_.made.push_back({*world_.table.find(first), true});
  hand_over();
  EXPECT_EQ(zero_.seen.claimed, (id_list{first, second}));
  EXPECT_EQ(world_.asked["read"], 0);
}

TEST_F(ReaderHandover, OfAServerThatWasLeftBehindIsNoWord) {
  auto careful = options();
  careful.overtaken = [](std::uint32_t timeline) { return timeline < 2; };
  reader_ = keep(actors::spawn_reader(system, careful, store_));
  own();
  pass(100ms);
  zero_.seen = {};
  const auto id = add();
  world_.table.remove(id); // the standby had not got it
  batch_.timeline = 1;
  hand_over();
  pass(1s);
  EXPECT_TRUE(zero_.seen.claimed.empty());
}

TEST_F(ReaderHandover, OfAPartitionThatIsDrivenElsewhereIsPassedBy) {
  const auto others = world_.add(3, 1);
  batch_.made.push_back({*world_.table.find(others), true});
  const auto own = add();
  hand_over();
  EXPECT_EQ(zero_.seen.claimed, (id_list{own}));
  EXPECT_EQ(world_.asked["read"], 0);
  EXPECT_EQ(counters_->in_window, 1u);
  EXPECT_EQ(counters_->handed_over, 1u);
}

} // namespace
} // namespace postrider
