#include "app/api_client.hpp"
#include "app/child.hpp"
#include "app/exit_code.hpp"
#include "tests/app/program.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace postrider {

using namespace std::chrono_literals;
using testing::temporary_folder;

std::string content(const std::filesystem::path& file) {
  std::ifstream stream{file};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

// The whole of the first command in the README, without the building.
TEST(Dev, DeliversEverythingInOrderAndReports) {
  const auto done = testing::postrider({"dev", "--for", "3s", "--rate", "100"});
  EXPECT_EQ(done.status, app::exit_done) << done.output;
  EXPECT_NE(done.output.find("nothing lost"), std::string::npos);
  EXPECT_NE(done.output.find("in order     yes"), std::string::npos);
  EXPECT_NE(done.output.find("signatures   all good"), std::string::npos);
}

TEST(Dev, ReportsAndRemovesItsFolderAtTheFirstSignal) {
  const temporary_folder here;
  const auto log = here.path() / "log";
  app::child running{
      {.arguments = {POSTRIDER_BINARY, "dev"}, .log = log.string()}};
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (content(log).find("Ctrl-C ends it") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << content(log);
    ASSERT_FALSE(running.status()) << content(log);
  }
  running.signal(SIGINT);
  EXPECT_EQ(running.wait(), app::exit_done) << content(log);
  const auto text = content(log);
  EXPECT_NE(text.find("report"), std::string::npos);
  const auto at = text.find("bearer key in ") + 14;
  const std::filesystem::path key{text.substr(at, text.find('\n', at) - at)};
  EXPECT_EQ(key.filename(), "api.key");
  EXPECT_FALSE(std::filesystem::exists(key.parent_path()));
}

} // namespace postrider
