#include "actors/ingester.hpp"

#include "tests/actors/actor_fixture.hpp"
#include "tests/actors/fakes.hpp"

#include <deque>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using verdict = actors::ingest_call::verdict;

struct store_script {
  std::vector<std::size_t> commits; ///< how many calls each had
  bool away = false;
};

/// Holds each commit until `free`, then answers its calls with as many results
/// as they brought events.
using fake_store_actor =
    actors::ingest_store_actor::extend<caf::reacts_to<atom::free>>;

struct fake_store_state {
  std::deque<std::pair<caf::typed_response_promise<actors::fresh_ptr>,
                       actors::ingest_batch>>
      open;
};

fake_store_actor::behavior_type
fake_store(fake_store_actor::stateful_pointer<fake_store_state> self,
           store_script* script) {
  return {
      [=](atom::ingest,
          const actors::ingest_batch& batch) -> caf::result<actors::fresh_ptr> {
        script->commits.push_back(batch.size());
        auto promise = self->make_response_promise<actors::fresh_ptr>();
        self->state.open.emplace_back(promise, batch);
        return promise;
      },
      [=](atom::free) {
        auto [promise, batch] = std::move(self->state.open.front());
        self->state.open.pop_front();
        if (script->away) {
          promise.deliver(away());
          return;
        }
        for (const auto& call : batch)
          call->finish(verdict::stored,
                       std::vector<ingest_result>(call->count()));
        promise.deliver(std::make_shared<const actors::fresh_batch>());
      },
  };
}

actors::root_supervisor_actor::behavior_type
fake_root(actors::root_supervisor_actor::pointer, int* told) {
  return {
      [](atom::stop) { return true; },
      [](atom::wake) {},
      [=](atom::fresh, const actors::fresh_ptr&) { ++*told; },
      [](atom::changed) {},
      [](atom::apply, const actors::live_options_ptr&) {},
      [](atom::ingest, const actors::ingest_call_ptr&) {},
      [](atom::query, const actors::query_call_ptr&) {},
      [](atom::start) {},
  };
}

struct answer {
  verdict how;
  std::size_t results;
  friend bool operator==(const answer&, const answer&) = default;
};

class Ingester : public testing::actor_fixture {
protected:
  actors::ingester_options options() {
    actors::ingester_options out;
    out.most = 10;
    out.patience = 5s;
    out.log = no_log();
    out.counters = std::make_shared<actors::counters>();
    return out;
  }

  /// A call that brings so many events, without letting anything run.
  void call(std::size_t events) {
    const auto at = answers_.size();
    answers_.emplace_back();
    caf::anon_send(ingester_, atom::ingest_v,
                   std::make_shared<actors::ingest_call>(
                       std::vector<new_event>(events),
                       [this, at](verdict how, std::vector<ingest_result> got) {
                         answers_[at].push_back({how, got.size()});
                       }));
  }

  void commit() { tell(store_, atom::free_v); }

  using answer_list = std::vector<answer>;

  store_script script_;
  int told_ = 0;
  std::vector<answer_list> answers_; ///< all that each call got
  fake_store_actor store_ = keep(system.spawn(fake_store, &script_));
  actors::root_supervisor_actor root_ = keep(system.spawn(fake_root, &told_));
  actors::ingester_actor ingester_ =
      keep(actors::spawn_ingester(system, options(), {store_}, root_));
};

TEST_F(Ingester, CommitsALoneCallAtOnce) {
  call(1);
  settle();
  EXPECT_EQ(script_.commits, (std::vector<std::size_t>{1}));
  commit();
  EXPECT_EQ(answers_[0], (answer_list{{verdict::stored, 1}}));
  EXPECT_EQ(told_, 1);
}

TEST_F(Ingester, LetsCallsThatArriveDuringACommitShareTheNext) {
  call(1);
  settle();
  for (int i = 0; i < 4; ++i)
    call(2);
  settle();
  EXPECT_EQ(script_.commits, (std::vector<std::size_t>{1}));
  commit();
  EXPECT_EQ(script_.commits, (std::vector<std::size_t>{1, 4}));
}

TEST_F(Ingester, LetsCallsThatStandInTheMailboxShareOneCommit) {
  for (int i = 0; i < 5; ++i)
    call(1);
  settle();
  EXPECT_EQ(script_.commits, (std::vector<std::size_t>{5}));
}

// -- a second connection -----------------------------------------------------

class IngesterOfTwo : public Ingester {
protected:
  IngesterOfTwo() {
    ingester_ = keep(actors::spawn_ingester(system, options(),
                                            {store_, other_store_}, root_));
    call(1);
    settle();
  }
  std::size_t commits() const {
    return script_.commits.size() + other_.commits.size();
  }

  store_script other_;
  fake_store_actor other_store_ = keep(system.spawn(fake_store, &other_));
};

TEST_F(IngesterOfTwo, IsForWhatHasWaitedBehindALongCommit) {
  ASSERT_EQ(commits(), 1u);
  call(1);
  settle();
  pass(4ms);
  EXPECT_EQ(commits(), 1u);
  call(1);
  pass(1ms);
  EXPECT_EQ(commits(), 2u) << "both, when the first has waited for 5 ms";
  EXPECT_EQ(script_.commits.size(), 1u);
}

TEST_F(IngesterOfTwo, IsForAFullCommit) {
  call(4);
  call(5);
  settle();
  EXPECT_EQ(commits(), 1u);
  call(1);
  settle();
  EXPECT_EQ(commits(), 2u);
}

TEST_F(IngesterOfTwo, IsLeftAloneWhereCommitsAreShort) {
  for (int i = 0; i < 5; ++i) {
    call(1);
    settle();
    tell(other_.commits.empty() ? store_ : other_store_, atom::free_v);
    pass(1ms);
  }
  EXPECT_EQ(commits(), 6u);
  EXPECT_TRUE(script_.commits.empty() || other_.commits.empty());
}

// -- answers -----------------------------------------------------------------

TEST_F(Ingester, AnswersEachCallOnceWithItsOwn) {
  call(1);
  settle();
  for (auto events : {3, 1, 2})
    call(static_cast<std::size_t>(events));
  settle();
  commit();
  commit();
  EXPECT_EQ(answers_[1], (answer_list{{verdict::stored, 3}}));
  EXPECT_EQ(answers_[2], (answer_list{{verdict::stored, 1}}));
  EXPECT_EQ(answers_[3], (answer_list{{verdict::stored, 2}}));
}

// PG-17
TEST_F(Ingester, KeepsACommitWithinItsSize) {
  for (int i = 0; i < 4; ++i)
    call(4);
  settle();
  EXPECT_EQ(script_.commits, (std::vector<std::size_t>{2}));
  commit();
  EXPECT_EQ(script_.commits, (std::vector<std::size_t>{2, 2}));
}

TEST_F(Ingester, LetsALargerCallGoAlone) {
  call(25);
  call(1);
  settle();
  EXPECT_EQ(script_.commits, (std::vector<std::size_t>{1}));
  commit();
  EXPECT_EQ(answers_[0], (answer_list{{verdict::stored, 25}}));
}

TEST_F(Ingester, AnswersAllCallsOfAFailedCommitAsUnavailable) {
  script_.away = true;
  call(1);
  call(2);
  settle();
  commit();
  for (const auto& got : answers_)
    EXPECT_EQ(got, (answer_list{{verdict::unavailable, 0}}));
  EXPECT_EQ(told_, 0);
  script_.away = false;
  call(1);
  settle();
  commit();
  EXPECT_EQ(answers_[2], (answer_list{{verdict::stored, 1}}));
}

TEST_F(Ingester, AnswersOnceWhenItsPatienceEnds) {
  call(1);
  settle();
  pass(5'001ms);
  EXPECT_EQ(answers_[0], (answer_list{{verdict::unavailable, 0}}));
  commit();
  EXPECT_EQ(answers_[0].size(), 1u);
}

TEST_F(Ingester, AnswersWhatWaitsWhenItEnds) {
  call(1);
  settle();
  call(1);
  settle();
  caf::anon_send_exit(ingester_, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(answers_[1], (answer_list{{verdict::unavailable, 0}}));
}

} // namespace
} // namespace postrider
