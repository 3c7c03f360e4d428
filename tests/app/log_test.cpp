#include "app/log.hpp"

#include "app/line_limit.hpp"
#include "app/log_line.hpp"
#include "tests/support/eventually.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <string>

namespace postrider::app {
namespace {

using namespace std::chrono_literals;
using actors::level;
using nlohmann::json;
using postrider::testing::eventually;

std::string line(const std::string& text,
                 const actors::log_fields& about = {}) {
  return log_line(std::chrono::system_clock::time_point{1'700'000'000s + 7ms},
                  level::warn, "n1", "reader", text, about);
}

struct pipe_ends {
  pipe_ends() { EXPECT_EQ(::pipe2(files, O_CLOEXEC), 0); }
  ~pipe_ends() {
    close_reader();
    ::close(files[1]);
  }

  void close_reader() {
    if (files[0] >= 0)
      ::close(files[0]);
    files[0] = -1;
  }

  std::string read() {
    char buffer[65'536];
    const auto got = ::read(files[0], buffer, sizeof buffer);
    return {buffer, got > 0 ? static_cast<std::size_t>(got) : 0};
  }

  int files[2] = {-1, -1};
};

TEST(LogLine, IsOneObjectWithWhatIsKnown) {
  actors::log_fields about;
  about.event = "evt_1";
  about.delivery = "dlv_1";
  about.endpoint = "ep_1";
  about.attempt = 0;
  about.error = "connect_refused";
  about.duration = 12ms;
  EXPECT_EQ(line("hello", about),
            R"({"ts":"2023-11-14T22:13:20.007Z","level":"warn",)"
            R"("msg":"hello","node":"n1","component":"reader",)"
            R"("event":"evt_1","delivery":"dlv_1","endpoint":"ep_1",)"
            R"("attempt":0,"error":"connect_refused","duration_ms":12})"
            "\n");
  EXPECT_EQ(json::parse(line("hello")).size(), 5u);
}

TEST(LogLine, IsOneLineOfJsonWhateverTheTextHolds) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all.push_back(static_cast<char>(byte));
  for (const auto& text :
       {all, std::string{"a \"quoted\" \\ text"}, std::string{"\xc3\x28"},
        std::string{"cut \xe2\x82"}, std::string{"\xed\xa0\x80 surrogate"},
        std::string{"two\nlines\r\n"}, std::string{"\x1b[31mred"}}) {
    const auto got = line(text);
    EXPECT_EQ(got.find('\n'), got.size() - 1);
    for (const char c : got.substr(0, got.size() - 1))
      EXPECT_GE(static_cast<unsigned char>(c), 0x20u);
    EXPECT_NO_THROW(json::parse(got)) << got;
  }
}

TEST(LogLine, CutsALongTextOff) {
  EXPECT_LT(line(std::string(100'000, 'x')).size(), 4'096u);
}

TEST(LineLimit, LetsASpeakerSaySoMuchInASecondAndTellsTheRest) {
  line_limit of{3};
  const line_limit::time_point start{};
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(of.judge("a", start).pass);
  for (int i = 0; i < 5; ++i)
    EXPECT_FALSE(of.judge("a", start + 500ms).pass);
  EXPECT_TRUE(of.judge("b", start + 500ms).pass);
  const auto later = of.judge("a", start + 1s);
  EXPECT_TRUE(later.pass);
  EXPECT_EQ(later.left_out, 5u);
  EXPECT_EQ(of.judge("a", start + 1s).left_out, 0u);
}

TEST(Log, WritesFromItsLevelOnWhichMayChange) {
  pipe_ends to;
  log lines{"warn", "n1", to.files[1]};
  const auto say = lines.sink();
  EXPECT_FALSE(say.enabled(level::info));
  say(level::info, "a", "not this");
  say(level::warn, "a", "but this");
  EXPECT_EQ(json::parse(to.read()).at("msg"), "but this");
  lines.use_level("debug");
  EXPECT_TRUE(say.enabled(level::debug));
  say(level::debug, "a", "and this");
  EXPECT_EQ(json::parse(to.read()).at("msg"), "and this");
  EXPECT_EQ(lines.counted().lines[static_cast<std::size_t>(level::warn)], 1u);
}

TEST(Log, DoesNotWaitForOneWhoDoesNotRead) {
  pipe_ends to;
  log lines{"debug", "n1", to.files[1]};
  const auto say = lines.sink();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 20'000; ++i)
    say(level::debug, "a", "a line that nobody takes");
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
  EXPECT_GT(lines.counted().dropped, 5'000u);
}

TEST(Log, SurvivesAClosedPipeAndAFullDisk) {
  pipe_ends to;
  to.close_reader();
  log lines{"debug", "n1", to.files[1]};
  lines.sink()(level::error, "a", "nobody is there");
  EXPECT_TRUE(eventually([&] { return lines.counted().dropped == 1; }));
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  log others{"debug", "n1", full};
  others.sink()(level::error, "a", "no room");
  EXPECT_TRUE(eventually([&] { return others.counted().dropped == 1; }));
  ::close(full);
}

TEST(Log, LeavesOutWhatAFaultSaysTooOften) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  log lines{"info", "n1", nowhere};
  for (int i = 0; i < 1'000; ++i)
    lines.sink()(level::info, "partition", "a delivery failed for good");
  lines.sink()(level::warn, "partition", "something else");
  const auto said = lines.counted();
  EXPECT_LT(said.lines[static_cast<std::size_t>(level::info)], 500u);
  EXPECT_GT(said.left_out, 500u);
  EXPECT_EQ(said.lines[static_cast<std::size_t>(level::warn)], 1u);
  ::close(nowhere);
}

} // namespace
} // namespace postrider::app
