#include "config/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace postrider::config {

const std::vector<std::string> words{"timeout", "lease", "listen"};

TEST(Nearest, ForgivesAMissingAWrongAndASwappedLetter) {
  EXPECT_EQ(nearest("timout", words), "timeout");
  EXPECT_EQ(nearest("leaze", words), "lease");
  EXPECT_EQ(nearest("litsen", words), "listen");
}

TEST(Nearest, GuessesNothingForAWordThatIsNotClose) {
  EXPECT_EQ(nearest("retention", words), std::nullopt);
  EXPECT_EQ(nearest("", words), std::nullopt);
  EXPECT_EQ(nearest(std::string(10'000, 'a'), words), std::nullopt);
  EXPECT_EQ(did_you_mean("retention", words), "");
}

} // namespace postrider::config
