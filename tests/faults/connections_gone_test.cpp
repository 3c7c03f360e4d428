#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <memory>
#include <vector>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

using held = std::unique_ptr<PGconn, void (*)(PGconn*)>;

/// Takes all connections that are left, and says how many.
std::size_t take_all(const std::string& url, std::vector<held>& into) {
  const auto before = into.size();
  for (;;) {
    held one{PQconnectdb(url.c_str()), &PQfinish};
    if (PQstatus(one.get()) != CONNECTION_OK)
      return into.size() - before;
    into.push_back(std::move(one));
  }
}

// B-17: others have all the connections there are, and the node loses its own.
// Producers are told to come back, outcomes wait, and all goes on afterwards.
TEST(ConnectionsGone, AreAwaited) {
  postgres_server server{{"max_connections=40"}};
  fault_bench bench{server, [](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  producers load{bench, 2, "p", 2ms};
  ASSERT_TRUE(bench.shop().wait_for(20)) << bench.node().log();
  std::vector<held> all;
  EXPECT_GT(take_all(bench.here().url(), all), 5u);
  // What the node loses another one gets.
  for (int i = 0; i < 40; ++i) {
    PQclear(PQexec(all.front().get(),
                   "select pg_terminate_backend(pid) from pg_stat_activity "
                   "where application_name like 'postrider %'"));
    take_all(bench.here().url(), all);
  }
  raw_answer refused;
  EXPECT_TRUE(eventually([&] {
    refused = bench.here().call(
        bench.node(), "POST", "/v1/events",
        R"({"tenant":"acme","type":"a.b","id":"none","payload":{}})");
    return refused.status == 503;
  })) << bench.node().log();
  EXPECT_NE(refused.find("Retry-After"), "");
  all.clear();
  bench.mark("database", "", 5s);
  const auto had = bench.shop().count();
  EXPECT_TRUE(bench.shop().wait_for(had + 20)) << bench.node().log();
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                             "outcome <> 'succeeded'"),
            "0");
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-17", "all connections taken by others", 1, verdicts);
}

} // namespace
} // namespace postrider::testing
