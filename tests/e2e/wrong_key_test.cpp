#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"
#include "tests/support/key_file.hpp"

#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto another = "Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";

// Else every delivery would fail as unusable.
TEST(WrongKey, EndsTheStartWithAClearWord) {
  receiver shop{[](const arrival&) { return answer(200); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  const key_file wrong{another};
  auto& second =
      here.start({{"STORAGE__SECRET_KEY_FILE", wrong.path()}}, false);
  EXPECT_EQ(second.wait(30s), 1) << second.log();
  EXPECT_NE(second.log().find("storage.secret_key does not open 1 of the 1 "
                              "stored endpoint secrets"),
            std::string::npos)
      << second.log();
  // It has taken nothing from the node that has the right one.
  here.send("a.b", "1");
  EXPECT_TRUE(here.settled());
  EXPECT_EQ(shop.arrivals().size(), 1U);
}

TEST(WrongKey, IsNoConcernWhereNothingIsSealedYet) {
  platform here;
  const key_file any{another};
  here.start({{"STORAGE__SECRET_KEY_FILE", any.path()}});
}

} // namespace
} // namespace postrider::testing
