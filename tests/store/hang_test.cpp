#include "store/error.hpp"
#include "store/pg.hpp"
#include "store/session.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/postgres.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>

namespace postrider::store {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::postgres_server;

/// A server that hangs: connections stay open and nothing is answered.
class Hang : public ::testing::Test {
protected:
  static void SetUpTestSuite() { server.emplace(); }
  static void TearDownTestSuite() { server.reset(); }

  /// How long a call took that failed; nothing when it did not.
  static std::optional<std::chrono::milliseconds>
  failure(const std::function<void()>& call) {
    const auto began = std::chrono::steady_clock::now();
    try {
      call();
      return std::nullopt;
    } catch (const error& fault) {
      EXPECT_EQ(fault.what_kind(), error::kind::transient) << fault.what();
      return std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - began);
    }
  }

  std::string count(const std::string& where) {
    pqxx::connection link{server->url("postgres")};
    pqxx::nontransaction run{link};
    return run.exec1("select count(*) from pg_stat_activity where " + where)[0]
        .as<std::string>();
  }

  database where() {
    database out{server->url("postgres") + "&connect_timeout=2"};
    out.statement_timeout = 500ms;
    out.silence = 500ms;
    return out;
  }

  static inline std::optional<postgres_server> server;
};

// B-03, LEASE-14: each call has a deadline of its own, and what hung goes on
// afterwards.
TEST_F(Hang, EndsEachCallInTime) {
  pg::connection hot{where(), {.application_name = "hot"}};
  session calm{where(), "calm"};
  const pg::statement one{"one", "select 1"};
  const auto ask = [](pqxx::work& work) { work.exec1("select 1"); };
  hot.run(one, {});
  calm.run(ask);
  server->freeze();
  // A second for the answer, two for the attempt to cancel it.
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { hot.run(one, {}); }, [&] { calm.run(ask); }}) {
    const auto took = failure(call);
    ASSERT_TRUE(took);
    EXPECT_GE(*took, 900ms);
    EXPECT_LT(*took, 15s);
  }
  // Neither is a connection had.
  const auto took = failure([&] { hot.run(one, {}); });
  ASSERT_TRUE(took);
  EXPECT_LT(*took, 20s);
  server->thaw();
  EXPECT_EQ(hot.run(one, {}).int4(0, 0), 1);
  calm.run(ask);
}

TEST_F(Hang, OfTheConnectionAloneLeavesNoBackendBehind) {
  database late = where();
  late.statement_timeout = 300ms;
  // The server does not end these: as a commit that waits for a standby.
  const std::vector<std::string> endless{"set statement_timeout = 0"};
  pg::connection hot{late, {.application_name = "hot", .settings = endless}};
  EXPECT_TRUE(failure([&] {
    hot.run({"sleep", "select 1 from pg_sleep(600)"}, {});
  }));
  session calm{late, "calm"};
  EXPECT_TRUE(failure([&] {
    calm.run([](pqxx::work& work) {
      work.exec0("set local statement_timeout = 0");
      work.exec1("select 1 from pg_sleep(600)");
    });
  }));
  EXPECT_TRUE(eventually(
      [&] {
        return count("query like '%pg_sleep(600)%' and pid <> "
                     "pg_backend_pid() and state = 'active'")
               == "0";
      },
      10s));
}

} // namespace
} // namespace postrider::store
