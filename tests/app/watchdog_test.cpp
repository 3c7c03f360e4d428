#include "app/watchdog.hpp"

#include "app/vitals.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/notify_socket.hpp"

#include <gtest/gtest.h>

#include <future>

namespace postrider::app {
namespace {

using namespace std::chrono_literals;
using postrider::testing::eventually;
using postrider::testing::notify_socket;

struct Watchdog : ::testing::Test {
  /// Turns the watchdog for a while; whether the manager heard of it.
  bool pings(std::chrono::milliseconds limit) {
    manager.drain();
    return eventually(
        [&] {
          dog.turn(std::chrono::steady_clock::now());
          return manager.next(0ms) == "WATCHDOG=1";
        },
        limit);
  }

  void SetUp() override { server.start(); }

  notify_socket manager{"@postrider-watchdog-" + std::to_string(getpid()),
                        300ms};
  net::http_client client{{}};
  net::http_server server{
      {}, [](net::server_request, const net::http_server::respond& respond) {
        respond({});
      }};
  std::uint64_t messages = 0;
  bool actors_rest = false;
  std::chrono::seconds stuck{0};
  std::string kind = "partition";
  vitals signs{
      {{"client", &client.meters().loop}, {"api", server.meters().front()}},
      [this] {
        actors::actor_reading one;
        one.kind = kind;
        one.messages = actors_rest ? messages : ++messages;
        one.stuck = stuck;
        return std::vector{one};
      }};
  notifier to;
  watchdog dog{to, [this] { return signs.moved(); }};
};

TEST_F(Watchdog, IsSilentWhileALoopDoesNotTurn) {
  EXPECT_TRUE(pings(5s));
  std::promise<void> door;
  std::promise<void> blocked;
  const auto open = door.get_future().share();
  net::http_request request;
  request.target.host = "127.0.0.1";
  request.target.port = 1;
  request.target.literal = true;
  client.send(std::move(request), [&](const attempt_result&) {
    blocked.set_value();
    open.wait();
  });
  blocked.get_future().wait();
  pings(600ms); // what had turned before
  EXPECT_FALSE(pings(1'500ms));
  door.set_value();
  EXPECT_TRUE(pings(5s));
}

TEST_F(Watchdog, IsSilentWhileTheActorsHandleNothing) {
  EXPECT_TRUE(pings(5s));
  actors_rest = true;
  EXPECT_FALSE(pings(1'500ms));
  actors_rest = false;
  EXPECT_TRUE(pings(5s));
}

TEST_F(Watchdog, IsSilentWhileAnActorIsStuckButPatientWithTheDatabase) {
  stuck = 30s;
  EXPECT_FALSE(pings(1'500ms));
  EXPECT_FALSE(signs.checks()[1].ok);
  kind = "settle_store";
  EXPECT_TRUE(pings(5s));
  EXPECT_TRUE(signs.checks()[1].ok);
  stuck = 600s;
  EXPECT_FALSE(pings(1'500ms));
}

TEST(Notifier, SaysNothingWithoutAManager) {
  ::unsetenv("NOTIFY_SOCKET");
  ::setenv("WATCHDOG_USEC", "1000", 1);
  notifier to;
  to.ready();
  EXPECT_FALSE(to.watched());
  ::unsetenv("WATCHDOG_USEC");
}

TEST(Notifier, IsNotWatchedWhenAnotherProcessIs) {
  notify_socket manager{"@postrider-notifier-" + std::to_string(getpid()), 1s};
  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(notifier{}.watched());
  ::setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  EXPECT_EQ(notifier{}.watched(), 1s);
  ::unsetenv("WATCHDOG_PID");
}

TEST(Notifier, TellsAStatusOnceAndAReloadWithItsTime) {
  notify_socket manager{"/tmp/postrider-notifier-" + std::to_string(getpid()),
                        1s};
  notifier to;
  to.status("all well");
  to.status("all well");
  to.reloading();
  EXPECT_EQ(manager.next(1s), "STATUS=all well");
  EXPECT_TRUE(manager.next(1s).starts_with("RELOADING=1\nMONOTONIC_USEC="));
}

} // namespace
} // namespace postrider::app
