#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

// PG-08: a column that is added under load fails no call.
TEST(DatabaseCases, AColumnThatIsAddedUnderLoadFailsNothing) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  auto& node = here.start();
  here.tenant();
  here.endpoint(shop.url());
  std::atomic<bool> enough{false};
  std::atomic<int> accepted{0};
  std::atomic<int> other{0};
  std::thread producer{[&] {
    while (!enough) {
      const auto got = here.call(
          node, "POST", "/v1/events",
          R"({"tenant":"acme","type":"a.b","payload":{},"ordering_key":"o"})");
      ++(got.status == 201 ? accepted : other);
    }
  }};
  EXPECT_TRUE(eventually([&] { return accepted > 20; }));
  for (const auto* table :
       {"delivery", "event", "attempt", "endpoint", "event_key", "tenant",
        "partition", "node", "endpoint_secret", "subscription"}) {
    here.sql(fmt::format("alter table postrider.{} add column x int", table));
    const auto before = accepted.load();
    EXPECT_TRUE(eventually([&] { return accepted > before + 10; })) << table;
  }
  enough = true;
  producer.join();
  EXPECT_EQ(other, 0) << node.log();
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), static_cast<std::size_t>(accepted));
}

// PG-11: slow receivers hold no connection and no transaction.
TEST(DatabaseCases, SlowReceiversLeaveNoTransactionOpenAndNoCallWaiting) {
  constexpr int endpoints = 20;
  receiver shop{[](const arrival&) -> script {
    return {{step::kind::pause, "", 1500ms},
            {step::kind::write, "HTTP/1.1 204 No Content\r\n\r\n", {}},
            {}};
  }};
  platform here;
  here.start();
  here.tenant();
  for (int i = 0; i < endpoints; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)));
  here.send("a.b", "{}");
  ASSERT_TRUE(shop.wait_for(endpoints));
  const auto until = std::chrono::steady_clock::now() + 1200ms;
  while (std::chrono::steady_clock::now() < until) {
    const auto asked = std::chrono::steady_clock::now();
    here.send("a.b", "{}");
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 1s);
    EXPECT_EQ(here.sql("select count(*) from pg_stat_activity where datname = "
                       "current_database() and state like 'idle in "
                       "transaction%' and state_change < now() - "
                       "interval '200 ms'"),
              "0");
  }
  here.sql("delete from postrider.delivery returning 1");
}

// PG-18: whatever protocol and quoting a producer uses, its bytes stay.
TEST(DatabaseCases, BytesStayTheSameInEveryProtocolAndQuoting) {
  const std::string hex = "7b2261223a225c5c7834312027205c2220243120242420257320"
                          "3f205c7530303237203b2d2d205c5c5c5c227d";
  std::string payload;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    payload += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  pqxx::connection link{here.url()};
  pqxx::work work{link};
  const auto publish = [](const std::string& what) {
    return "select postrider.publish('acme', 'a.b', " + what + ")";
  };
  // Simple protocol: everything stands in the text of the statement.
  work.exec(publish("'\\x" + hex + "'::bytea"));
  work.exec(publish("decode('" + hex + "', 'hex')"));
  work.exec(publish(work.quote(payload)));
  work.exec(publish("$body$" + payload + "$body$"));
  work.exec("set local standard_conforming_strings = off");
  work.exec("set local escape_string_warning = off");
  std::string escaped;
  for (const char c : payload)
    escaped += c == '\\' || c == '\'' ? std::string{c, c} : std::string{c};
  work.exec(publish("'" + escaped + "'"));
  work.exec("set local standard_conforming_strings = on");
  // Extended protocol.
  work.exec_params(publish("$1::text"), payload);
  work.exec_params(publish("$1::bytea"), pqxx::binarystring{payload});
  work.commit();
  here.send("a.b", payload);
  ASSERT_TRUE(here.settled());
  ASSERT_EQ(shop.arrivals().size(), 8u);
  for (const auto& one : shop.arrivals())
    EXPECT_EQ(one.body, payload);
}

// LEASE-05: rows that nobody can send hide none of those behind them.
TEST(DatabaseCases, RowsThatCanNotBeSentHideNothingBehindThem) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  auto& node = here.start();
  here.tenant();
  here.endpoint(shop.url());
  {
    pqxx::connection link{here.url()};
    pqxx::work work{link};
    work.exec("select postrider.publish('acme', 'stuck', '{}'::text) "
              "from generate_series(1, 5000)");
    work.exec("delete from postrider.event where type = 'stuck'");
    for (int i = 0; i < 10; ++i)
      work.exec("select postrider.publish('acme', 'a.b', '{}'::text)");
    work.commit();
  }
  EXPECT_TRUE(shop.wait_for(10)) << node.log();
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(here.sql("select count(*) from postrider.attempt where final "
                     "and reason = 'unusable'"),
            "5000");
}

// NET-06: a fault of every question, for longer than any number of tries; it
// is waited out, and seen meanwhile.
TEST(DatabaseCases, WorkGoesOnAfterEveryQuestionHasFailedForAWhile) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  auto& node = here.start();
  here.tenant();
  here.endpoint(shop.url());
  here.send("a.b", "0");
  ASSERT_TRUE(shop.wait_for(1));
  here.sql("alter schema postrider rename to elsewhere");
  EXPECT_TRUE(eventually(
      [&] { return here.call(node, "READY", "/readyz").status == 503; }));
  const auto refused = here.call("POST", "/v1/events",
                                 R"({"tenant":"acme","type":"a","payload":1})");
  EXPECT_GE(refused.status, 500) << refused.body;
  const auto until = std::chrono::steady_clock::now() + 3s;
  EXPECT_TRUE(
      eventually([&] { return std::chrono::steady_clock::now() > until; }));
  here.sql("alter schema elsewhere rename to postrider");
  here.sql("select postrider.publish('acme', 'a.b', '1'::text)");
  EXPECT_TRUE(shop.wait_for(2, 5s)) << node.log();
  EXPECT_TRUE(eventually(
      [&] { return here.call(node, "READY", "/readyz").status == 200; }));
  EXPECT_LT(node.wait(0ms), 0) << "it still runs";
}

} // namespace
} // namespace postrider::testing
