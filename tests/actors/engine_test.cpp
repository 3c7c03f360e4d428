#include "actors/engine.hpp"

#include "tests/store/sql.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/postgres.hpp"
#include "tests/support/receiver.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace postrider {
namespace {

using namespace std::chrono_literals;

/// A whole engine on a database of its own. Its log can be made to throw out
/// of the actor that speaks, which is a defect such as any handler may have.
class EngineTest : public ::testing::Test {
protected:
  actors::engine_options options() {
    actors::engine_options out;
    out.database_url = database_;
    out.secret_key = std::string(32, 'k');
    out.node_name = "test";
    out.live.http.guard.allow = {*parse_network("127.0.0.0/8")};
    out.log = [this](actors::level, std::string_view component,
                     std::string text) {
      if (component == "root_supervisor"
          && text.find("an actor failed") != std::string::npos)
        ++restarts_;
      if (component == breaks_ && failures_left_.fetch_sub(1) > 0)
        throw std::runtime_error{"a defect"};
    };
    return out;
  }

  void SetUp() override {
    db_("insert into postrider.tenant (id) values ('acme')");
    store::catalog catalog{database_};
    catalog.use_secret_key(std::string(32, 'k'));
    store::endpoint_fields fields;
    fields.url = shop_.url();
    fields.types = std::vector<std::string>{"*"};
    ASSERT_TRUE(catalog.create_endpoint(
        "acme", "", fields, {*signing_key::from_bytes(std::string(32, 's'))}));
  }

  void publish(int number) {
    db_(fmt::format("select postrider.publish('acme', 'a.b', '{}')", number));
  }

  /// Every connection but the test's own is cut, so that the reader has
  /// something to say.
  void cut_connections() {
    db_("select pg_terminate_backend(pid) from pg_stat_activity where datname "
        "= current_database() and pid <> pg_backend_pid()");
  }

  std::string database_ =
      testing::postgres_server::shared().migrated_database();
  testing::sql db_{database_};
  testing::receiver shop_{
      [](const testing::arrival&) { return testing::answer(204); }};
  std::string breaks_ = "reader";
  std::atomic<int> failures_left_{0};
  std::atomic<int> restarts_{0};
};

// A-10, DESIGN 5: whichever actor throws, all is well again soon.
TEST_F(EngineTest, StartsAnewWhenAnActorFailsAndGoesOnDelivering) {
  actors::engine engine{options()};
  engine.start();
  publish(1);
  // Its outcome has to be written: one that is lost with its actor is repeated.
  const auto settled = [&] {
    return db_.one("select count(*) from postrider.delivery") == "0";
  };
  ASSERT_TRUE(testing::eventually(settled));
  failures_left_ = 1;
  cut_connections();
  ASSERT_TRUE(testing::eventually([&] { return restarts_ > 0; }));
  publish(2);
  ASSERT_TRUE(shop_.wait_for(2));
  ASSERT_TRUE(testing::eventually(settled));
  EXPECT_EQ(shop_.arrivals().size(), 2u);
  EXPECT_TRUE(engine.gave_up().empty());
  EXPECT_TRUE(engine.stop());
}

// DESIGN 5: past an intensity it gives up loudly.
TEST_F(EngineTest, GivesUpWhenActorsFailAgainAndAgain) {
  actors::engine engine{options()};
  engine.start();
  publish(1);
  ASSERT_TRUE(shop_.wait_for(1));
  failures_left_ = 1'000;
  auto next_cut = std::chrono::steady_clock::now();
  EXPECT_TRUE(testing::eventually(
      [&] {
        // Not all the time: it has to come back before it can fail again.
        if (std::chrono::steady_clock::now() >= next_cut) {
          cut_connections();
          next_cut += 500ms;
        }
        return !engine.gave_up().empty();
      },
      100s));
  EXPECT_GT(restarts_, 3);
}

} // namespace
} // namespace postrider
