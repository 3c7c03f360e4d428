#include "config/advice.hpp"

#include <gtest/gtest.h>

namespace postrider::config {

TEST(ConfigAdvice, GuessesTheDurationThatWasMeant) {
  EXPECT_EQ(advise_duration("5 minutes"), "\"5m\"");
  EXPECT_EQ(advise_duration("5min"), "\"5m\"");
  EXPECT_EQ(advise_duration("250 ms"), "\"250ms\"");
  EXPECT_EQ(advise_duration("2 Hours"), "\"2h\"");
  EXPECT_EQ(advise_duration("30 sec"), "\"30s\"");
  EXPECT_EQ(advise_duration(std::int64_t{15}), "\"15s\"");
  EXPECT_EQ(advise_duration("soon"), "\"250ms\", \"5s\", \"2h\"");
  EXPECT_EQ(advise_duration(std::int64_t{-1}), "\"250ms\", \"5s\", \"2h\"");
}

TEST(ConfigAdvice, GuessesTheSizeThatWasMeant) {
  EXPECT_EQ(advise_size("1MB"), "\"1MiB\"");
  EXPECT_EQ(advise_size("256k"), "\"256KiB\"");
  EXPECT_EQ(advise_size("64 mib"), "\"64MiB\"");
  EXPECT_EQ(advise_size(std::int64_t{4096}), "\"4096B\"");
  EXPECT_EQ(advise_size("big"), "\"256KiB\", \"64MiB\"");
}

TEST(ConfigAdvice, GuessesTheAddressThatWasMeant) {
  EXPECT_EQ(advise_listen("localhost:8080"), "\"127.0.0.1:8080\"");
  EXPECT_EQ(advise_listen(std::int64_t{9090}), "\"127.0.0.1:9090\"");
  EXPECT_EQ(advise_listen(":8080"), "\"0.0.0.0:8080\"");
  EXPECT_EQ(advise_listen("*:8080"), "\"0.0.0.0:8080\"");
  EXPECT_EQ(advise_listen("10.1.2.3"), "\"10.1.2.3:8080\"");
  EXPECT_EQ(advise_listen("::1"), "\"[::1]:8080\"");
  EXPECT_EQ(advise_listen("api.example"), "\"127.0.0.1:8080\", \"[::]:8080\"");
}

} // namespace postrider::config
