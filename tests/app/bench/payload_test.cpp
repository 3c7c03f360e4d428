#include "app/bench/payload.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace postrider::app {
namespace {

TEST(BenchPayload, IsJsonOfTheWantedSizeAndTellsItsMark) {
  std::vector<std::size_t> sizes{1024, 4096, 200'000};
  for (std::size_t size = payload_maker::smallest; size < 500; ++size)
    sizes.push_back(size);
  for (const auto size : sizes) {
    const payload_maker maker{size};
    const auto made = maker.make({123'456'789'012, 1'234'567'890});
    EXPECT_EQ(made.size(), size);
    EXPECT_TRUE(nlohmann::json::accept(made)) << made;
    const auto mark = read_payload(made);
    ASSERT_TRUE(mark) << made;
    EXPECT_EQ(mark->number, 123'456'789'012U);
    EXPECT_EQ(mark->intended, 1'234'567'890);
  }
}

TEST(BenchPayload, OfSomebodyElseHasNoMark) {
  for (const auto* body : {"", "{}", "{\"n\":\"12\"}",
                           "{\"n\":\"00000000012x\",\"at\":\"0000000000000000"
                           "\",\"note\":\"\"}"})
    EXPECT_FALSE(read_payload(body)) << body;
}

} // namespace
} // namespace postrider::app
