#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// A file with another key than the platform's.
class other_key {
public:
  other_key() {
    auto name =
        (std::filesystem::temp_directory_path() / "postrider-key-XXXXXX")
            .string();
    const int made = mkstemp(name.data());
    EXPECT_GE(made, 0);
    path_ = name;
    std::ofstream{path_} << "Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=\n";
  }
  ~other_key() { std::filesystem::remove(path_); }
  other_key(const other_key&) = delete;
  other_key& operator=(const other_key&) = delete;

  const std::string& path() const { return path_; }

private:
  std::string path_;
};

// Else every delivery would fail as unusable.
TEST(WrongKey, EndsTheStartWithAClearWord) {
  receiver shop{[](const arrival&) { return answer(200); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url());
  const other_key wrong;
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
  const other_key any;
  here.start({{"STORAGE__SECRET_KEY_FILE", any.path()}});
}

} // namespace
} // namespace postrider::testing
