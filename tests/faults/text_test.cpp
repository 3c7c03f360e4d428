#include "tests/faults/fault_bench.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

struct text {
  const char* case_id;
  std::string payload;
  int status = 201;
};

/// The cases JSON-01 to JSON-05.
const std::vector<text> texts = {
    {"JSON-01", R"({"s":"a\u0000b"})"},
    {"JSON-02", R"({"s":"C:\\u0000","t":"\\\u0000","u":"\\\\u0000"})"},
    {"JSON-03", R"({"s":"\\","t":"\"","u":"\/"})"},
    {"JSON-04", R"({"s":"\ud83d"})"},
    {"JSON-04", R"({"s":"\udc00\ud83d"})"},
    {"JSON-04", R"({"k\ud800":1})"},
    {"JSON-05", "{\"s\":\"\xc3\x28\"}", 400},
    {"JSON-05", "{\"s\":\"\xed\xa0\xbd\"}", 400},
    {"JSON-05", "{\"s\":\"\xc0\x80\"}", 400},
    {"JSON-05", "{\"s\":\"\xf4\x90\x80\x80\"}", 400},
    {"JSON-05", std::string{"\xff\xfe\x7b\0\x7d\0", 6}, 400},
};

// K-06: the same text gets the same answer each time, never a 5xx, and what is
// taken arrives as it came. The healthy twin is plain text among it.
TEST(Text, OfAnyKindIsTakenAsItIsOrRefusedForGood) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  int answered_5xx = 0;
  int taken = 0;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto status =
          bench.send_payload(fmt::format("k{}-{}", i, round), texts[i].payload);
      EXPECT_EQ(status, texts[i].status)
          << texts[i].case_id << " " << texts[i].payload;
      answered_5xx += status >= 500;
      taken += status == 201;
    }
    EXPECT_EQ(bench.send(fmt::format("plain{}", round)), 201);
  }
  EXPECT_TRUE(bench.drained()) << bench.node().log();
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.event"),
            fmt::format("{}", taken + 3));
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  fmt::print("K-06 {} texts three times: 5xx {}, taken and kept {}\n",
             texts.size(), answered_5xx, taken);
}

} // namespace
} // namespace postrider::testing
