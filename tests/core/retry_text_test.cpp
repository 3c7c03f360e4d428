#include "core/retry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;

retry_policy policy_of(std::string_view text) {
  auto read = read_retry_policy(text);
  if (const auto* fault = std::get_if<retry_fault>(&read))
    ADD_FAILURE() << text << ": " << fault->what;
  return parse_retry_policy(text).value_or(retry_policy{});
}

retry_fault fault_of(std::string_view text) {
  auto read = read_retry_policy(text);
  if (const auto* fault = std::get_if<retry_fault>(&read))
    return *fault;
  ADD_FAILURE() << "not refused: " << text;
  return {};
}

TEST(RetryText, ReadsOptionsInAnyOrder) {
  const retry_policy expected{{5s, 30s, 5min}, 7, 0.8, 1.2, 24h};
  EXPECT_EQ(policy_of("5s 30s 5m attempts=7 jitter=20% max_age=24h"), expected);
  EXPECT_EQ(policy_of("max_age=24h 5s jitter=20% 30s  attempts=7 5m "),
            expected);
}

TEST(RetryText, KeepsWhatIsNotSaidAsItIsWithoutOptions) {
  const auto plain = policy_of("5s 30s");
  EXPECT_EQ(plain, (retry_policy{{5s, 30s}, 3, 1.0, 1.0, 96h}));
  EXPECT_EQ(policy_of("5s 30s attempts=3"), plain);
  EXPECT_EQ(policy_of("5s 30s jitter=0%"), plain);
  EXPECT_EQ(policy_of("5s 30s max_age=4d"), plain);
}

TEST(RetryText, ReadsTheRangeOfTheFactor) {
  const auto policy = policy_of("1m jitter=50-150%");
  EXPECT_EQ(policy.jitter_low, 0.5);
  EXPECT_EQ(policy.jitter_high, 1.5);
  EXPECT_EQ(policy_of("1m jitter=100-100%"), policy_of("1m"));
  EXPECT_EQ(policy_of("1m jitter=100%"), policy_of("1m jitter=0-200%"));
}

TEST(RetryText, AllowsMoreAndFewerAttemptsThanWaits) {
  EXPECT_EQ(next_wait(policy_of("1s 2s attempts=5"), 4, 0), 2s);
  EXPECT_EQ(next_wait(policy_of("1s 2s attempts=5"), 5, 0), std::nullopt);
  EXPECT_EQ(next_wait(policy_of("1s 2s 3s attempts=2"), 2, 0), std::nullopt);
  EXPECT_EQ(policy_of("attempts=1"), (retry_policy{{}, 1, 1.0, 1.0, 96h}));
}

TEST(RetryText, CountsTheSlowestCourseOfAPolicy) {
  EXPECT_EQ(slowest(policy_of("1s 2s 4s")), 7s);
  EXPECT_EQ(slowest(policy_of("1s 2s 4s attempts=3")), 3s);
  EXPECT_EQ(slowest(policy_of("1s 2s attempts=6")), 9s);
  EXPECT_EQ(slowest(policy_of("10s 20s jitter=50-150%")), 45s);
  EXPECT_EQ(slowest(policy_of("attempts=1")), 0s);
}

// What the policy may take at most must fit into its age.
TEST(RetryText, RefusesWhatCouldOutliveItsAgeAndTellsBoth) {
  EXPECT_EQ(policy_of("1h 2h max_age=3h").max_age, 3h);
  EXPECT_EQ(policy_of("1h jitter=20% max_age=72m").max_age, 72min);
  const auto fault = fault_of("1h 2h jitter=20% max_age=3h");
  EXPECT_EQ(fault.field, "max_age");
  EXPECT_EQ(fault.what,
            "its waits come to 3h 36m at the slowest and max_age is 3h, so "
            "that its last attempts could never be made: write max_age=4h, or "
            "fewer or shorter waits");
  for (auto text : {"24h attempts=100", "1h attempts=5 max_age=2h",
                    "1s 1ms max_age=1s", "1h jitter=0-101% max_age=1h"})
    EXPECT_EQ(fault_of(text).field, "max_age") << text;
  EXPECT_EQ(fault_of("30d attempts=100").what.find("write max_age="),
            std::string::npos)
      << "no age is that long";
}

TEST(RetryText, GivesAnAgeThatIsTakenThen) {
  for (std::string text : {"1s 1ms max_age=1s", "100ms attempts=99 max_age=2s",
                           "7m 7m jitter=33% max_age=5m", "24h attempts=100",
                           "119s 2s max_age=1s", "119m 2m max_age=1s"}) {
    const auto what = fault_of(text).what;
    const auto from = what.find("write ") + 6;
    if (const auto age = text.find(" max_age="); age != text.npos)
      text.resize(age);
    policy_of(text + " " + what.substr(from, what.find(',', from) - from));
  }
}

TEST(RetryText, TellsWhatIsWrongWithEachPart) {
  struct {
    const char* text;
    const char* field;
    const char* part;
  } cases[] = {
      {"", "waits", "such as 5s 30s 5m"},
      {"attempts=2", "waits", "attempts=1 for no retry"},
      {"shopp", "waits", "`shopp` is no policy (default, shop, "},
      {"5s 5x", "waits", "`5x` is no wait"},
      {"5s 31d", "waits", "1ms to 30d"},
      {"default attempts=3", "waits", "`default` is no policy"},
      {"5s attempts=0", "attempts", "1 to 100"},
      {"5s attempts=101", "attempts", "`101`"},
      {"5s attempts=", "attempts", "``"},
      {"5s attempts=3.5", "attempts", "`3.5`"},
      {"5s attempts=3 attempts=3", "attempts", "twice"},
      {"5s jitter=20", "jitter", "jitter=20%"},
      {"5s jitter=101%", "jitter", "`101%`"},
      {"5s jitter=-5%", "jitter", "`-5%`"},
      {"5s jitter=150-50%", "jitter", "`150-50%`"},
      {"5s jitter=50-201%", "jitter", "0 to 200"},
      {"5s jitter=%", "jitter", "`%`"},
      {"5s jitter=1% jitter=1%", "jitter", "twice"},
      {"5s max_age=5", "max_age", "max_age=24h"},
      {"5s max_age=366d", "max_age", "365d"},
      {"1ms max_age=999ms", "max_age", "1s to 365d"},
      {"5s max_age=1h max_age=1h", "max_age", "twice"},
      {"5s tries=3", "", "`tries` is no option"},
      {"5s =3", "", "`` is no option"},
  };
  for (const auto& [text, field, part] : cases) {
    const auto fault = fault_of(text);
    EXPECT_EQ(fault.field, field) << text;
    EXPECT_NE(fault.what.find(part), std::string::npos)
        << text << ": " << fault.what;
  }
  EXPECT_LT(fault_of(std::string(1000, 'x')).what.size(), 200u);
}

RC_GTEST_PROP(RetryText, NeverTakesWhatOutlivesItsAge, ()) {
  std::string text;
  for (int i = *rc::gen::inRange(1, 10); i > 0; --i)
    text += std::to_string(*rc::gen::inRange(1, 2'000)) + "m ";
  text += "attempts=" + std::to_string(*rc::gen::inRange(1, 101))
          + " jitter=" + std::to_string(*rc::gen::inRange(0, 101))
          + "% max_age=" + std::to_string(*rc::gen::inRange(1, 3'000)) + "h";
  auto read = read_retry_policy(text);
  RC_CLASSIFY(read.index() == 0);
  if (const auto* policy = std::get_if<retry_policy>(&read))
    RC_ASSERT(slowest(*policy) <= policy->max_age);
  else
    RC_ASSERT(std::get<retry_fault>(read).field == "max_age");
}

} // namespace
} // namespace postrider
