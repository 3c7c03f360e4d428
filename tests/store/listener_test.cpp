#include "store/error.hpp"
#include "store/listener.hpp"
#include "tests/store/backlog.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class Listener : public ::testing::Test, protected backlog {
protected:
  Listener() {
    endpoint({"order.*"});
    bell.wait(0ms); // it listens from here on
  }

  /// Rings of somebody else that were heard before `within` is over.
  int heard(std::chrono::milliseconds within) {
    int out = 0;
    while (bell.wait(within))
      ++out;
    return out;
  }

  /// Of the connections that listen.
  std::string listening(const std::string& column) {
    return db.one(fmt::format(
        "select {} from pg_stat_activity where datname = current_database() "
        "and application_name = 'postrider listener'",
        column));
  }

  store::listener bell{url};
};

TEST_F(Listener, HearsAnotherAndNotItself) {
  store::listener other{url};
  other.wait(0ms);
  other.ring();
  EXPECT_FALSE(other.wait(50ms)) << "it has rung then";
  EXPECT_TRUE(bell.wait(20s));
  EXPECT_FALSE(bell.wait(0ms)) << "once";
}

TEST_F(Listener, RingsWhileItWaits) {
  store::listener other{url};
  other.wait(0ms);
  std::jthread waits{[&] { other.wait(60s); }};
  other.ring();
  EXPECT_TRUE(bell.wait(20s));
  other.interrupt();
}

// PG-05: however often it is asked. Each ring takes a lock of the whole server.
TEST_F(Listener, RingsAFewTimesForAThousandCalls) {
  store::listener other{url};
  other.wait(0ms);
  std::jthread waits{[&] { other.wait(60s); }};
  const auto began = steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    other.ring();
    std::this_thread::yield();
  }
  int rings = 0;
  while (bell.wait(200ms))
    ++rings;
  other.interrupt();
  const auto took = steady_clock::now() - began;
  EXPECT_GE(rings, 1);
  EXPECT_LE(rings, took / 50ms + 2);
}

TEST_F(Listener, EndsItsWaitWhenItIsInterrupted) {
  std::jthread soon{[&] { bell.interrupt(); }};
  const auto began = steady_clock::now();
  EXPECT_FALSE(bell.wait(60s));
  EXPECT_FALSE(bell.wait(60s)) << "and every one after";
  EXPECT_LT(steady_clock::now() - began, 30s);
}

// B-21, PG-06.
TEST_F(Listener, SaysThatItsBackendWasKilledAndListensAgain) {
  db(fmt::format("select pg_terminate_backend({})", listening("pid")));
  try {
    bell.wait(20s);
    FAIL() << "it has not noticed";
  } catch (const store::error& fault) {
    EXPECT_EQ(fault.what_kind(), store::error::kind::transient);
  }
  EXPECT_FALSE(bell.wait(0ms));
  db("notify postrider");
  EXPECT_TRUE(bell.wait(20s));
}

// B-21: the longest that the server takes, and one more.
TEST_F(Listener, CaresForNoPayload) {
  db("select pg_notify('postrider', repeat('x', 7999))");
  EXPECT_TRUE(bell.wait(20s));
  EXPECT_EQ(db.state_of("select pg_notify('postrider', repeat('x', 8000))"),
            "22023");
  EXPECT_FALSE(bell.wait(50ms));
}

TEST_F(Listener, HearsProducersThatWantItOncePerTransaction) {
  publish(3);
  EXPECT_EQ(heard(50ms), 0) << "not asked for";
  db("set postrider.notify = on");
  db("begin");
  publish(1);
  publish(5);
  EXPECT_FALSE(bell.wait(50ms)) << "not committed";
  db("commit");
  EXPECT_TRUE(bell.wait(20s));
  EXPECT_EQ(heard(50ms), 0);
  db("set postrider.notify = off");
  publish(1);
  EXPECT_EQ(heard(50ms), 0);
}

} // namespace
} // namespace postrider::testing
