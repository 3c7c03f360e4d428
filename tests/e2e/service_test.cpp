#include "tests/e2e/platform.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/notify_socket.hpp"

#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <signal.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

TEST(Service, TellsItsManagerThatItIsReadyAliveAndStopping) {
  notify_socket manager{"@postrider-test-" + std::to_string(getpid()), 600ms};
  platform here;
  auto& node = here.start();
  EXPECT_TRUE(manager.hears("READY=1"));
  EXPECT_TRUE(manager.hears("STATUS=256 partitions"));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(manager.hears("WATCHDOG=1"));
  node.signal(SIGTERM);
  EXPECT_TRUE(manager.hears("STOPPING=1"));
  EXPECT_EQ(node.wait(), 0) << node.log();
}

// A database that hangs is no reason to restart a node.
TEST(Service, LivesOnWhileTheDatabaseHangsAndWhileItIsAway) {
  notify_socket manager{"/tmp/postrider-notify-" + std::to_string(getpid()),
                        600ms};
  postgres_server server;
  platform here{server};
  auto& node = here.start();
  ASSERT_TRUE(manager.hears("WATCHDOG=1"));
  std::vector<pid_t> backends;
  {
    pqxx::connection link{here.url()};
    pqxx::nontransaction run{link};
    for (const auto& row :
         run.exec("select pid from pg_stat_activity where datname = "
                  "current_database() and pid <> pg_backend_pid()"))
      backends.push_back(row[0].as<int>());
  }
  ASSERT_GE(backends.size(), 2u);
  for (const auto one : backends)
    kill(one, SIGSTOP);
  manager.drain();
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(manager.hears("WATCHDOG=1", 5s)) << i;
  EXPECT_EQ(here.call(node, "READY", "/healthz").status, 200);
  for (const auto one : backends)
    kill(one, SIGCONT);
  server.stop_immediate();
  EXPECT_TRUE(manager.hears("STATUS=waiting for the database"));
  EXPECT_TRUE(manager.hears("WATCHDOG=1", 5s));
  EXPECT_EQ(here.call(node, "READY", "/startupz").status, 200);
  EXPECT_EQ(here.call(node, "READY", "/readyz").status, 503);
}

} // namespace
} // namespace postrider::testing
