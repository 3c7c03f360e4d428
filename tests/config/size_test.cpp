#include "config/size.hpp"

#include <gtest/gtest.h>

namespace postrider::config {

using namespace std::chrono_literals;

TEST(Size, IsReadWithItsUnit) {
  EXPECT_EQ(parse_size("512B"), 512U);
  EXPECT_EQ(parse_size("256KiB"), 256U << 10);
  EXPECT_EQ(parse_size("64MiB"), 64U << 20);
  EXPECT_EQ(parse_size("2GiB"), std::size_t{2} << 30);
}

TEST(Size, IsRefusedWithoutUnitOrWhenItDoesNotFit) {
  for (const auto* text : {"", "1", "KiB", "1 KiB", "-1KiB", "1KB", "1.5MiB",
                           "18446744073709551615GiB", "9999999999GiB"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Size, IsWrittenInTheLargestUnitThatLeavesNoRest) {
  EXPECT_EQ(render_size(0), "0B");
  EXPECT_EQ(render_size(1025), "1025B");
  EXPECT_EQ(render_size(64 << 20), "64MiB");
  EXPECT_EQ(render_duration(0ms), "0ms");
  EXPECT_EQ(render_duration(1500ms), "1500ms");
  EXPECT_EQ(render_duration(20s), "20s");
  EXPECT_EQ(render_duration(60min), "1h");
}

} // namespace postrider::config
