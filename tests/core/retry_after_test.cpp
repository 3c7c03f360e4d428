#include "core/outcome.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_seconds;

// 2026-01-01T00:00:00Z
constexpr sys_seconds now =
    std::chrono::sys_days{std::chrono::year{2026} / std::chrono::January / 1};

std::optional<std::chrono::seconds> read(std::string_view value) {
  return parse_retry_after(value, now);
}

// RESP-07
TEST(RetryAfter, ReadsSecondsAndTheThreeFormsOfADate) {
  EXPECT_EQ(read("120"), 120s);
  EXPECT_EQ(read(" 120 "), 120s);
  EXPECT_EQ(read("\t0120"), 120s);
  EXPECT_EQ(read("Thu, 01 Jan 2026 00:02:00 GMT"), 120s);
  EXPECT_EQ(read("Thursday, 01-Jan-26 00:02:00 GMT"), 120s);
  EXPECT_EQ(read("Thu Jan  1 00:02:00 2026"), 120s);
  EXPECT_EQ(read("Sat Jan 10 00:00:00 2026"), 216h);
}

// RESP-07
TEST(RetryAfter, TakesADateInThePastAsNoWait) {
  EXPECT_EQ(read("Wed, 31 Dec 2025 23:00:00 GMT"), 0s);
  EXPECT_EQ(read("Sunday, 06-Nov-94 08:49:37 GMT"), 0s);
  EXPECT_EQ(read("Thu, 01 Jan 1970 00:00:00 GMT"), 0s);
}

// RESP-07, RESP-08
TEST(RetryAfter, RefusesTheMalformed) {
  for (auto value : {
           "soon",
           "",
           " ",
           "120, 120",
           "-1",
           "+1",
           "1e3",
           "0x10",
           "1.5",
           "120 s",
           "Thu, 1 Jan 2026 00:02:00 GMT",
           "Thu, 01 Jan 2026 00:02:00",
           "Thu, 01 Jan 2026 00:02:00 UTC",
           "Thu, 01 Jan 2026 00:02:00 GMT+1",
           "Thu, 01 jan 2026 00:02:00 GMT",
           "Thu, 32 Jan 2026 00:02:00 GMT",
           "Sun, 29 Feb 2026 00:02:00 GMT",
           "Thu, 00 Jan 2026 00:02:00 GMT",
           "Thu, 01 Jan 2026 24:00:00 GMT",
           "Thu, 01 Jan 2026 00:60:00 GMT",
           "Thu, 01 Jan 2026 00:00:61 GMT",
           "Thu, 01 Jan 26 00:02:00 GMT",
           "Foo, 01 Jan 2026 00:02:00 GMT",
           "Thu, 01-Jan-26 00:02:00 GMT",
           "Thursday, 01-Jan-2026 00:02:00 GMT",
           "Thu Jan 1 00:02:00 2026",
           "Thu Jan  1 00:02:00 2026 GMT",
           "2026-01-01T00:02:00Z",
       })
    EXPECT_EQ(read(value), std::nullopt) << value;
}

// RESP-08
TEST(RetryAfter, NeverOverflows) {
  EXPECT_EQ(read("2147484"), 2'147'484s);
  EXPECT_EQ(read("4294967296"), 4'294'967'296s);
  EXPECT_EQ(read("9223372037"), 9'223'372'037s);
  for (auto value : {"9223372036854775807", "99999999999999999999",
                     "184467440737095516160000000000000"})
    EXPECT_EQ(read(value), 10'000'000'000s) << value;
  EXPECT_GT(*read("Mon, 01 Jan 2035 00:00:00 GMT"), 24h * 365 * 8);
  EXPECT_GT(*read("Fri, 31 Dec 9999 23:59:60 GMT"), 24h * 365 * 7000);
}

// RFC 9110, 5.6.7: a year that looks more than 50 years ahead is past.
TEST(RetryAfter, GivesATwoDigitYearTheNearerCentury) {
  EXPECT_GT(*read("Wednesday, 01-Jan-76 00:00:00 GMT"), 0s);
  EXPECT_EQ(read("Saturday, 01-Jan-77 00:00:00 GMT"), 0s);
}

RC_GTEST_PROP(RetryAfter, IsNeverNegativeWhateverTheBytes,
              (const std::string& text)) {
  if (auto pause = read(text))
    RC_ASSERT(*pause >= 0s);
}

RC_GTEST_PROP(RetryAfter, IsNeverNegativeForDatesWithFlaws, ()) {
  std::string text = *rc::gen::element<std::string>(
      "Thu, 01 Jan 2026 00:02:00 GMT", "Thursday, 01-Jan-26 00:02:00 GMT",
      "Thu Jan  1 00:02:00 2026");
  auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::arbitrary<char>();
  if (auto pause = read(text))
    RC_ASSERT(*pause >= 0s);
  text.resize(at);
  RC_ASSERT(!read(text));
}

} // namespace
} // namespace postrider
