#include "tests/faults/fault_bench.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/shell.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

// B-11: each is named wherever an operator looks, and makes the node unready
// where that is wanted.
TEST(UnsafeSettings, AreNeverSilent) {
  for (const bool role : {false, true}) {
    postgres_server server{
        role ? std::vector<std::string>{}
             : std::vector<std::string>{"fsync=off", "full_page_writes=off"}};
    platform here{server};
    if (role)
      here.sql("alter role postgres set synchronous_commit = off");
    const std::vector<std::string> names =
        role ? std::vector<std::string>{"synchronous_commit=off"}
             : std::vector<std::string>{"fsync=off", "full_page_writes=off"};
    auto& warned = here.start();
    const auto ready = here.call(warned, "READY", "/readyz");
    EXPECT_EQ(ready.status, 200);
    for (const auto& name : names) {
      EXPECT_NE(ready.body.find(name), std::string::npos) << ready.body;
      EXPECT_NE(warned.log().find(name), std::string::npos) << warned.log();
    }
    const auto page = here.call(warned, "READY", "/metrics").body;
    EXPECT_NE(page.find(fmt::format("postrider_storage_unsafe_settings {}\n",
                                    names.size())),
              std::string::npos);
    auto& refusing =
        here.start({{"STORAGE__UNSAFE_SETTINGS", "refuse"}}, false);
    EXPECT_TRUE(eventually([&] {
      const auto got = here.call(refusing, "READY", "/readyz");
      return got.status == 503
             && got.body.find(names.front()) != std::string::npos;
    })) << refusing.log();
  }
}

TEST(UnsafeSettings, OfADurableDatabaseAreNone) {
  postgres_server server;
  platform here{server};
  auto& node = here.start({{"STORAGE__UNSAFE_SETTINGS", "refuse"}});
  const auto ready = here.call(node, "READY", "/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_NE(ready.body.find(R"("name":"durability","ok":true})"),
            std::string::npos)
      << ready.body;
}

} // namespace
} // namespace postrider::testing
