#include "store/error.hpp"
#include "store/header_json.hpp"
#include "store/response_text.hpp"
#include "store/snapshot.hpp"

#include <gtest/gtest.h>

using namespace postrider;
using namespace postrider::store;

TEST(ResponseText, KeepsWellFormedTextAndReplacesTheRest) {
  EXPECT_EQ(response_text("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(response_text(std::string_view{"a\0b", 3}), "a?b");
  EXPECT_EQ(response_text("\xff\xc0\x80"), "???");      // never, overlong
  EXPECT_EQ(response_text("\xed\xa0\x80"), "???");      // surrogate
  EXPECT_EQ(response_text("\xf4\x90\x80\x80"), "????"); // beyond Unicode
  EXPECT_EQ(response_text("\xe2\x82"), "??");           // cut off
  EXPECT_EQ(response_text("\xe2\x82x"), "??x");
  EXPECT_EQ(response_text(""), "");
}

TEST(ResponseText, IsBounded) {
  EXPECT_EQ(response_text(std::string(10'000, 'x')).size(), response_limit);
  const std::string cut = std::string(response_limit - 1, 'x') + "\xc3\xa9";
  EXPECT_EQ(response_text(cut), std::string(response_limit - 1, 'x') + "?");
}

TEST(Snapshot, IsReadAsPostgresPrintsIt) {
  EXPECT_EQ(parse_snapshot("10:20:").running.size(), 0u);
  const auto seen = parse_snapshot("10:5000000000:10,12,4999999999");
  EXPECT_EQ(seen.xmin, 10u);
  EXPECT_EQ(seen.xmax, 5'000'000'000u);
  EXPECT_EQ(seen.running, (std::vector<std::uint64_t>{10, 12, 4'999'999'999}));
  for (const auto* bad : {"", "10", "10:x:", "10:20:a", "10:20:1 2"})
    EXPECT_THROW(parse_snapshot(bad), error) << bad;
}

TEST(HeaderJson, KeepsHeadersInOrder) {
  const std::vector<header> given{{"X-B", "2"}, {"X-A", "\"\\ 1"}};
  EXPECT_EQ(parse_headers(format_headers(given)), given);
  EXPECT_EQ(format_headers({}), "[]");
}

TEST(HeaderJson, LeavesOutWhatMayNotBeSent) {
  EXPECT_EQ(parse_headers(R"([{"name": "X-A", "value": "1"}, 5, {"name": "b"},
                              {"name": "Host", "value": "x"},
                              {"name": "X-C", "value": "a\r\nb"},
                              {"name": "X-D", "value": 4}])"),
            (std::vector<header>{{"X-A", "1"}}));
  for (const auto* bad : {"", "null", "{}", "[", "5"})
    EXPECT_TRUE(parse_headers(bad).empty()) << bad;
}

TEST(HeaderJson, SendsAllOrNothing) { // HDR-01
  EXPECT_EQ(parse_whole_headers("[]"), std::vector<header>{});
  EXPECT_EQ(parse_whole_headers(R"([{"name": "X-A", "value": "1"}])"),
            (std::vector<header>{{"X-A", "1"}}));
  for (const auto* bad :
       {"", "null", "{}", R"([{"name": "X-A", "value": "1"}, 5])",
        R"([{"name": "X-C", "value": "a\r\nb"}])",
        R"([{"name": "X E", "value": "1"}])", R"([{"name": "", "value": "1"}])",
        R"([{"name": "Host", "value": "1"}])", R"([{"name": "X-D"}])"})
    EXPECT_FALSE(parse_whole_headers(bad)) << bad;
}
