#include "actors/settler.hpp"

#include "tests/actors/actor_fixture.hpp"
#include "tests/actors/fakes.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using id_list = std::vector<std::int64_t>;

struct store_script {
  /// What a batch meets; success when it says nothing.
  std::function<std::optional<caf::error>(const actors::settlement_list&)>
      meets;
  std::vector<id_list> written;
  int asked = 0;
  bool hold = false;
};

using fake_store_actor =
    actors::settle_store_actor::extend<caf::reacts_to<atom::free>>;

struct fake_store_state {
  std::vector<
      std::pair<caf::typed_response_promise<actors::settle_report>, id_list>>
      held;
};

fake_store_actor::behavior_type
fake_store(fake_store_actor::stateful_pointer<fake_store_state> self,
           store_script* script) {
  return {
      [=](atom::settle, const actors::settlement_list& batch)
          -> caf::result<actors::settle_report> {
        ++script->asked;
        if (script->meets)
          if (auto fault = script->meets(batch))
            return *fault;
        id_list ids;
        for (const auto& one : batch)
          ids.push_back(one.delivery);
        script->written.push_back(ids);
        if (!script->hold)
          return actors::settle_report{ids, 0};
        auto promise = self->make_response_promise<actors::settle_report>();
        self->state.held.emplace_back(promise, ids);
        return promise;
      },
      [=](atom::free) {
        for (auto& [promise, ids] : std::exchange(self->state.held, {}))
          promise.deliver(actors::settle_report{ids, 0});
      },
  };
}

/// Flushes and tells when it was answered.
using asker_actor = caf::typed_actor<caf::reacts_to<atom::flush>>;

asker_actor::behavior_type asker(asker_actor::pointer self,
                                 actors::settler_actor settler, int* answers) {
  return {
      [=](atom::flush) {
        self->request(settler, 3600s, atom::flush_v)
            .then([=](bool) { ++*answers; }, [](const caf::error&) {});
      },
  };
}

class Settler : public testing::actor_fixture {
protected:
  Settler() { settle(); }

  actors::settler_options options() {
    actors::settler_options out;
    out.most = 4;
    out.log = no_log();
    out.counters = counters_;
    out.box = box_;
    return out;
  }

  void settled(std::int64_t id) {
    store::settlement one;
    one.delivery = id;
    if (const auto whom = box_->put(one))
      tell(*whom, atom::settle_v);
  }

  id_list all_written() const {
    id_list out;
    for (const auto& batch : script_.written)
      out.insert(out.end(), batch.begin(), batch.end());
    return out;
  }

  std::shared_ptr<actors::outcome_box> make_box() {
    auto out = std::make_shared<actors::outcome_box>();
    out->read_by(reader_);
    return out;
  }

  void be_away() {
    script_.meets = [](const auto&) { return away(); };
  }
  void be_back() { script_.meets = nullptr; }

  actors::counters_ptr counters_ = std::make_shared<actors::counters>();
  store_script script_;
  reader_record reader_seen_;
  int flushed_ = 0;
  fake_store_actor store_ = keep(system.spawn(fake_store, &script_));
  actors::reader_actor reader_ = keep(system.spawn(fake_reader, &reader_seen_));
  std::shared_ptr<actors::outcome_box> box_ = make_box();
  actors::settler_actor settler_ =
      keep(actors::spawn_settler(system, options(), store_));
  asker_actor asker_ = keep(system.spawn(asker, settler_, &flushed_));
};

TEST_F(Settler, GathersForAFewMilliseconds) {
  settled(1);
  pass(2ms);
  settled(2);
  EXPECT_TRUE(script_.written.empty());
  pass(1ms);
  EXPECT_EQ(script_.written, (std::vector<id_list>{{1, 2}}));
  EXPECT_EQ(reader_seen_.left, (id_list{1, 2}));
}

TEST_F(Settler, WritesAFullBatchAtOnce) {
  for (std::int64_t id = 1; id <= 4; ++id)
    settled(id);
  EXPECT_EQ(script_.written, (std::vector<id_list>{{1, 2, 3, 4}}));
}

TEST_F(Settler, WritesOneBatchAtATime) {
  script_.hold = true;
  for (std::int64_t id = 1; id <= 10; ++id)
    settled(id);
  EXPECT_EQ(script_.asked, 1);
  EXPECT_EQ(counters_->unsettled, 10u);
  script_.hold = false;
  tell(store_, atom::free_v);
  pass(5ms);
  EXPECT_EQ(all_written(), (id_list{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(counters_->unsettled, 0u);
}

// G6, S3.53: an outcome waits for the database as long as the process lives.
TEST_F(Settler, KeepsEverythingWhileTheStoreFailsAndWritesItInOrder) {
  be_away();
  for (std::int64_t id = 1; id <= 9; ++id)
    settled(id);
  pass(20s);
  EXPECT_TRUE(reader_seen_.left.empty());
  EXPECT_EQ(counters_->unsettled, 9u);
  be_back();
  pass(3s);
  EXPECT_EQ(all_written(), (id_list{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(reader_seen_.left, all_written());
  EXPECT_EQ(counters_->unsettled, 0u);
}

TEST_F(Settler, AsksLessAndLessOftenWhateverComesIn) {
  be_away();
  for (std::int64_t id = 1; id <= 200; ++id) {
    settled(id);
    pass(50ms);
  }
  // 50 ms, doubled up to 2 s, over ten seconds.
  EXPECT_LT(script_.asked, 16);
}

TEST_F(Settler, WritesABatchAgainAfterSilenceOfTheStore) {
  script_.hold = true;
  settled(1);
  pass(59s); // no answer: unknown, so once more
  script_.hold = false;
  pass(2s);
  EXPECT_EQ(all_written(), (id_list{1, 1}));
  EXPECT_EQ(reader_seen_.left, (id_list{1}));
}

TEST_F(Settler, HalvesAHopelessBatchSoThatNeighboursSurvive) {
  script_.meets = [](const actors::settlement_list& batch) {
    const bool bad = std::any_of(batch.begin(), batch.end(),
                                 [](const auto& o) { return o.delivery == 3; });
    return bad ? std::optional{hopeless()} : std::nullopt;
  };
  for (std::int64_t id = 1; id <= 6; ++id)
    settled(id);
  pass(1s);
  EXPECT_EQ(all_written(), (id_list{1, 2, 4, 5, 6}));
  // It stays in the reader's window: it was sent and is not sent again.
  EXPECT_EQ(reader_seen_.left, (id_list{1, 2, 4, 5, 6}));
  EXPECT_EQ(counters_->unsettled, 0u);
}

TEST_F(Settler, AnswersAFlushAtOnceWhenNothingWaits) {
  tell(asker_, atom::flush_v);
  EXPECT_EQ(flushed_, 1);
}

TEST_F(Settler, AnswersAFlushWhenAllBeforeItIsWritten) {
  script_.hold = true;
  settled(1);
  tell(asker_, atom::flush_v);
  settled(2);
  tell(asker_, atom::flush_v);
  EXPECT_EQ(flushed_, 0);
  tell(store_, atom::free_v);
  EXPECT_EQ(flushed_, 1);
  pass(5ms);
  tell(store_, atom::free_v);
  EXPECT_EQ(flushed_, 2);
}

// A partition that is given back under load must not wait for a lull.
TEST_F(Settler, AnswersAFlushWhileMoreKeepsComing) {
  script_.hold = true;
  settled(1);
  tell(asker_, atom::flush_v);
  for (std::int64_t id = 2; id <= 30; ++id) {
    settled(id);
    tell(store_, atom::free_v);
    if (flushed_ == 1)
      break;
  }
  EXPECT_EQ(flushed_, 1);
  EXPECT_GT(counters_->unsettled, 0u);
}

TEST_F(Settler, AnswersAFlushOnlyAfterTheStoreIsBack) {
  be_away();
  settled(1);
  tell(asker_, atom::flush_v);
  pass(10s);
  EXPECT_EQ(flushed_, 0);
  be_back();
  pass(3s);
  EXPECT_EQ(flushed_, 1);
}

TEST_F(Settler, AnswersAFlushPastAnOutcomeThatCannotBeWritten) {
  script_.meets = [](const auto&) { return hopeless(); };
  settled(1);
  settled(2);
  tell(asker_, atom::flush_v);
  pass(1s);
  EXPECT_EQ(flushed_, 1);
}

// -- succeeding another -------------------------------------------------------

// G6: an actor that fails loses no outcome.
TEST_F(Settler, WritesWhatAFailedOneHadNotWritten) {
  script_.hold = true;
  for (std::int64_t id = 1; id <= 6; ++id)
    settled(id); // four are being written, two wait
  ASSERT_EQ(script_.asked, 1);
  caf::anon_send_exit(settler_, caf::exit_reason::unhandled_exception);
  settle();
  settled(7); // nobody is there
  script_.hold = false;
  settler_ = keep(actors::spawn_settler(system, options(), store_));
  settle();
  pass(3ms);
  EXPECT_EQ(script_.written,
            (std::vector<id_list>{{1, 2, 3, 4}, {1, 2, 3, 4}, {5, 6, 7}}));
  EXPECT_EQ(reader_seen_.left, (id_list{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(counters_->unsettled, 0u);
}

// What a driver settles after another has settled it is news; what that one did
// would let go of a row that is in flight again.
TEST_F(Settler, TellsTheReaderNothingOfWhatWasSettledByAFormerDriver) {
  script_.hold = true;
  for (std::int64_t id = 1; id <= 5; ++id)
    settled(id); // four are being written
  box_->begins(0);
  settled(6);
  settled(4);
  tell(store_, atom::free_v);
  pass(3ms);
  tell(store_, atom::free_v);
  EXPECT_EQ(all_written(), (id_list{1, 2, 3, 4, 5, 6, 4}));
  EXPECT_EQ(reader_seen_.left, (id_list{6, 4}));
  EXPECT_EQ(counters_->unsettled, 0u);
}

// So that a row that was read meanwhile is not taken for one that is due.
TEST_F(Settler, SaysWhatIsBeingWrittenOrWasAMomentAgo) {
  script_.hold = true;
  for (std::int64_t id = 1; id <= 5; ++id)
    settled(id);
  EXPECT_EQ(box_->recent(0).size(), 5u);
  tell(store_, atom::free_v);
  EXPECT_EQ(box_->recent(0).size(), 5u);
  pass(6s);
  tell(store_, atom::free_v);
  EXPECT_EQ(box_->recent(0).size(), 1u);
  EXPECT_TRUE(box_->recent(0).contains(5));
}

} // namespace
} // namespace postrider
