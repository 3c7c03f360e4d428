#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

TEST(Roles, AnApiNodeTakesEventsAndAWorkerDeliversThem) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  auto& front = here.start({{"NODE__NAME", "front"}}, true, {"--role", "api"});
  here.tenant();
  here.endpoint(shop.url());
  here.send("a.b", "1");
  EXPECT_EQ(here.sql("select count(*) from postrider.partition where owner is "
                     "not null"),
            "0")
      << "it delivers nothing";
  auto& back = here.start({{"NODE__NAME", "back"}, {"NODE__ROLE", "worker"}});
  EXPECT_EQ(back.api_port(), 0);
  EXPECT_TRUE(shop.wait_for(1));
  ASSERT_TRUE(here.settled());
  EXPECT_EQ(here.sql("select string_agg(n.name || ' ' || n.role, ', ') from "
                     "postrider.node n where n.id in (select owner from "
                     "postrider.partition)"),
            "back worker");
  const auto page = here.call(front, "GET", "/v1/nodes").body;
  EXPECT_NE(page.find(R"("state":"active","role":"api")"), std::string::npos)
      << page;
  EXPECT_NE(page.find(R"("state":"active","role":"worker")"), std::string::npos)
      << page;
  const auto ready = here.call(back, "READY", "/readyz").body;
  EXPECT_NE(ready.find("worker"), std::string::npos) << ready;
}

} // namespace
} // namespace postrider::testing
