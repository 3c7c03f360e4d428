#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

/// Makes the database's clock differ from the machine's, for who connects
/// from now on and, later, for all.
class skewed_database {
public:
  explicit skewed_database(const platform& of) : of_{of} {
    of_.sql("create schema skewed");
    behind(0);
    of_.sql("do $$begin execute format('alter database %I set search_path = "
            "skewed, pg_catalog, public', current_database()); end$$");
  }
  void behind(int seconds) {
    of_.sql(fmt::format(
        "create or replace function skewed.clock_timestamp() returns "
        "timestamptz language sql as $$select pg_catalog.clock_timestamp() "
        "- interval '{} s'$$",
        seconds));
  }

private:
  const platform& of_;
};

// TIME-03: receivers refuse what is signed by a clock that is wrong.
TEST(Clock, ANodeWhoseClockIsFarFromTheDatabasesSaysSoAndIsNotReady) {
  platform here;
  skewed_database database{here};
  auto& node = here.start({{"DELIVERY__HEARTBEAT", "200ms"}});
  const auto ready = [&] { return here.call(node, "READY", "/readyz"); };
  const auto warned = [&] {
    return node.log().find("see to its time service") != std::string::npos;
  };
  EXPECT_FALSE(warned());
  database.behind(30);
  EXPECT_TRUE(eventually(warned)) << node.log();
  EXPECT_EQ(ready().status, 200);
  for (const int seconds : {290, -310}) {
    database.behind(seconds);
    const auto* word = seconds > 0 ? "s ahead of the" : "s behind the";
    raw_answer got;
    EXPECT_TRUE(eventually([&] {
      got = ready();
      return got.status == 503 && got.body.find(word) != std::string::npos;
    })) << got.body;
    EXPECT_NE(got.body.find(R"("name":"clock","ok":false)"), std::string::npos)
        << got.body;
  }
  database.behind(1);
  EXPECT_TRUE(eventually([&] { return ready().status == 200; }));
}

} // namespace
} // namespace postrider::testing
