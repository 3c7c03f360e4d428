#include "core/header_lines.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

TEST(HeaderLines, StandAsTheyGoOverTheWire) {
  header_lines lines{{"a", "1"}};
  lines.add("X-", "Sequence", std::int64_t{-77});
  lines.add("b", "");
  EXPECT_EQ(lines.text(), "a: 1\r\nX-Sequence: -77\r\nb: \r\n");
  EXPECT_EQ(lines.fault(), "");
}

// HDR-01: what could end a line, or frame the request anew, is left out, and
// the request is known to be unfit.
TEST(HeaderLines, TakeNoFieldThatEndsItsLineOrFramesTheRequest) {
  const header bad[]{{"X-A", "a\r\nX-Injected: 1"},
                     {"X-B", "a\nb"},
                     {"X-C\r\nY", "1"},
                     {"X-D", std::string{"a\0b", 3}},
                     {"", "x"},
                     {"X E", "1"},
                     {"X:", "1"},
                     {"Content-Length", "5"},
                     {"transfer-encoding", "chunked"},
                     {"Connection", "close"},
                     {"expect", "100-continue"},
                     {"Upgrade", "h2c"},
                     {"HOST", "other"}};
  for (const auto& each : bad) {
    header_lines lines{{"a", "1"}};
    lines.add(each.name, each.value);
    EXPECT_EQ(lines.text(), "a: 1\r\n") << each.name;
    EXPECT_NE(lines.fault(), "") << each.name;
    EXPECT_EQ(lines.fault().find(each.value), std::string::npos);
  }
}

} // namespace
} // namespace postrider
