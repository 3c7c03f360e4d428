#include "actors/attempt_inbox.hpp"
#include "actors/http_worker.hpp"

#include "tests/actors/fakes.hpp"
#include "tests/support/receiver.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// What the jobs' owner was told, from whichever thread.
struct results {
  std::mutex guard;
  std::condition_variable more;
  std::shared_ptr<actors::attempt_inbox> inbox =
      std::make_shared<actors::attempt_inbox>();
  std::multimap<std::int64_t, attempt_result> all;
  std::set<std::thread::id> threads;

  bool wait_for(std::size_t count) {
    std::unique_lock lock{guard};
    return more.wait_for(lock, 20s, [&] { return all.size() >= count; });
  }
};

driver_ears ears_of(results* seen) {
  driver_ears out;
  out.finished = [=] {
    std::lock_guard lock{seen->guard};
    for (const auto& one : seen->inbox->take())
      seen->all.emplace(one.job, one.what);
    seen->threads.insert(std::this_thread::get_id());
    seen->more.notify_all();
  };
  return out;
}

/// A real loop, a real scheduler and a real receiver.
class HttpWorker : public ::testing::Test {
protected:
  HttpWorker() {
    net::http_client_options client;
    client.guard.allow = {*parse_network("127.0.0.0/8")};
    loop_ = std::make_shared<net::http_client>(client);
    owner_ = system_.spawn(listening_driver, ears_of(&seen_));
    seen_.inbox->belongs_to(owner_);
    worker_ = actors::spawn_http_worker(system_, loop_);
  }

  ~HttpWorker() override {
    loop_->stop();
    caf::anon_send_exit(worker_, caf::exit_reason::kill);
    caf::anon_send_exit(owner_, caf::exit_reason::kill);
  }

  actors::http_job job(std::int64_t id, const std::string& to) {
    actors::http_job out;
    out.reply_to = std::make_shared<actors::attempt_ticket>(seen_.inbox, id);
    out.request.target = std::get<url>(parse_url(to));
    out.request.body = std::make_shared<const std::string>("{}");
    return out;
  }

  caf::actor_system_config config_;
  caf::actor_system system_{config_};
  results seen_;
  std::shared_ptr<net::http_client> loop_;
  actors::partition_actor owner_;
  actors::http_worker_actor worker_;
};

TEST_F(HttpWorker, AnswersEachJobOnceByItsId) {
  receiver target{[](const arrival& got) {
    return answer(got.target == "/bad" ? 500 : 204);
  }};
  actors::http_job_list jobs;
  for (std::int64_t id = 1; id <= 20; ++id)
    jobs.push_back(job(id, target.url(id % 2 ? "/good" : "/bad")));
  caf::anon_send(worker_, atom::attempt_v, jobs);
  ASSERT_TRUE(seen_.wait_for(20));
  std::lock_guard lock{seen_.guard};
  ASSERT_EQ(seen_.all.size(), 20u);
  for (std::int64_t id = 1; id <= 20; ++id) {
    ASSERT_EQ(seen_.all.count(id), 1u);
    EXPECT_EQ(seen_.all.find(id)->second.status, id % 2 ? 204 : 500);
  }
}

TEST_F(HttpWorker, TellsWhatWentWrongOnTheWay) {
  receiver::options resets;
  resets.reset_at_accept = true;
  receiver target{[](const arrival&) { return script{}; }, resets};
  caf::anon_send(worker_, atom::attempt_v,
                 actors::http_job_list{job(1, target.url())});
  ASSERT_TRUE(seen_.wait_for(1));
  std::lock_guard lock{seen_.guard};
  EXPECT_FALSE(seen_.all.begin()->second.status);
  EXPECT_NE(seen_.all.begin()->second.error, attempt_error::none);
}

// From a response to the next request no other thread has to be woken.
TEST_F(HttpWorker, RunsWhoWaitsForAResultOnTheThreadOfTheLoop) {
  receiver target{[](const arrival&) { return answer(204); }};
  std::promise<std::thread::id> loop_thread;
  net::http_request ask;
  ask.target = std::get<url>(parse_url(target.url()));
  loop_->send(ask, [&](const attempt_result&) {
    loop_thread.set_value(std::this_thread::get_id());
  });
  const auto there = loop_thread.get_future().get();
  for (std::int64_t id = 1; id <= 50; ++id) {
    caf::anon_send(worker_, atom::attempt_v,
                   actors::http_job_list{job(id, target.url())});
    ASSERT_TRUE(seen_.wait_for(static_cast<std::size_t>(id)));
    if (id == 1) { // until then it may still have been on its way to life
      std::lock_guard lock{seen_.guard};
      seen_.threads.clear();
    }
  }
  std::lock_guard lock{seen_.guard};
  EXPECT_EQ(seen_.threads, std::set{there});
}

// Whatever the moment of the stop, each job is answered once.
TEST_F(HttpWorker, AnswersEverythingThatIsUnderWayWhenTheLoopStops) {
  receiver target{[](const arrival&) { return answer(204); }};
  actors::http_job_list jobs;
  for (std::int64_t id = 1; id <= 500; ++id)
    jobs.push_back(job(id, target.url()));
  caf::anon_send(worker_, atom::attempt_v, jobs);
  ASSERT_TRUE(seen_.wait_for(1));
  loop_->stop();
  EXPECT_TRUE(seen_.wait_for(500));
}

// G7: a stop of the loop spends no attempt.
TEST_F(HttpWorker, AnswersAsCancelledOnceTheLoopIsStopped) {
  loop_->stop();
  caf::anon_send(worker_, atom::attempt_v,
                 actors::http_job_list{job(1, "http://127.0.0.1:9/")});
  ASSERT_TRUE(seen_.wait_for(1));
  std::lock_guard lock{seen_.guard};
  EXPECT_EQ(seen_.all.begin()->second.error, attempt_error::cancelled);
}

} // namespace
} // namespace postrider
