#include "core/outcome.hpp"
#include "core/retry_statuses.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

namespace postrider {
namespace {

status_set made(const std::function<bool(int)>& has) {
  status_set out;
  for (int status = 300; status <= 599; ++status)
    if (has(status))
      out.set(status);
  return out;
}

status_set read(std::string_view text) {
  auto parsed = parse_retry_statuses(text);
  if (auto* wrong = std::get_if<std::string>(&parsed)) {
    ADD_FAILURE() << text << ": " << *wrong;
    return {};
  }
  return std::get<status_set>(parsed);
}

std::string refused(std::string_view text) {
  auto parsed = parse_retry_statuses(text);
  auto* wrong = std::get_if<std::string>(&parsed);
  return wrong ? *wrong : std::string{};
}

TEST(RetryStatuses, ReadsStatusesRangesAndClasses) {
  EXPECT_EQ(read("503"), made([](int s) { return s == 503; }));
  EXPECT_EQ(read("500-504"), made([](int s) { return s >= 500 && s <= 504; }));
  EXPECT_EQ(read("404-404"), made([](int s) { return s == 404; }));
  EXPECT_EQ(read("5xx"), made([](int s) { return s >= 500; }));
  EXPECT_EQ(read("3XX,4xx"), made([](int s) { return s < 500; }));
  EXPECT_EQ(read("408,429,502-503"), made([](int s) {
              return s == 408 || s == 429 || s == 502 || s == 503;
            }));
}

TEST(RetryStatuses, ReadsRangesWithAnOpenEnd) {
  EXPECT_EQ(read("500-"), made([](int s) { return s >= 500; }));
  EXPECT_EQ(read("-499"), made([](int s) { return s <= 499; }));
}

TEST(RetryStatuses, TakesOutWhateverTheOrder) {
  auto expected = made([](int s) { return s >= 500 && s != 501; });
  EXPECT_EQ(read("500-599,!501"), expected);
  EXPECT_EQ(read("!501,500-599"), expected);
  EXPECT_EQ(read("501,!501,5xx"), expected);
  EXPECT_EQ(read("5xx,!510-"), made([](int s) { return s / 10 == 50; }));
}

TEST(RetryStatuses, TakesOutOfTheUsualOnesWhenItOnlyTakesOut) {
  EXPECT_EQ(read("!404,!501"), made([](int s) {
              return s != 404 && s != 501 && usual_retry_statuses().has(s);
            }));
  EXPECT_EQ(read("!300"), usual_retry_statuses());
}

TEST(RetryStatuses, CanRetryNothing) {
  EXPECT_EQ(read("500,!500"), status_set{});
}

TEST(RetryStatuses, AllowsBlanksAroundItems) {
  EXPECT_EQ(read(" 408 ,\t500-599 , !501 "), read("408,500-599,!501"));
}

// S3, part 2.3.5
TEST(RetryStatuses, RefusesWhatIsMalformedAndNamesTheItem) {
  struct wrong {
    std::string_view text;
    std::string_view tells;
  };
  for (auto [text, tells] : std::initializer_list<wrong>{
           {"408,abc", "item 2, \"abc\", is no status"},
           {"4o8", "item 1, \"4o8\", is no status"},
           {"50", "item 1, \"50\", is no status"},
           {"0500", "item 1, \"0500\", is no status"},
           {"99999999999999999999", "is no status"},
           {"+500", "item 1, \"+500\", is no status"},
           {"500 502", "item 1, \"500 502\", is no status"},
           {"500..599", "is no status"},
           {"500-5xx", "is no status"},
           {"500-501-502", "is no status"},
           {"5x", "is no status"},
           {"50x", "is no status"},
           {"5xX", "is no status"},
           {"-", "item 1, \"-\", is no status"},
           {"!", "item 1, \"!\", is no status"},
           {"!!500", "is no status"},
           {"! 500", "is no status"},
           {"500 - 599", "is no status"},
           {"429,599-500", "item 2, \"599-500\", ends before it begins"},
           {"200", "item 1, \"200\", is not within 300 to 599"},
           {"2xx", "is not within"},
           {"6xx", "is not within"},
           {"299-400", "is not within"},
           {"500-600", "is not within"},
           {"600-", "is not within"},
           {"-299", "is not within"},
           {"!200", "item 1, \"!200\", is not within"},
           {"500,", "item 2, \"\", is empty"},
           {",500", "item 1, \"\", is empty"},
           {"408,,500", "item 2, \"\", is empty"}}) {
    auto message = refused(text);
    EXPECT_NE(message.find(tells), std::string::npos)
        << text << ": " << message;
    EXPECT_NE(message.find("408,425,429,500-599,!501"), std::string::npos)
        << message;
  }
}

TEST(RetryStatuses, RefusesAnEmptyText) {
  for (auto text : {"", " ", "\t "}) {
    EXPECT_NE(refused(text).find("empty"), std::string::npos);
    EXPECT_NE(refused(text).find("408,425,429"), std::string::npos);
  }
}

TEST(RetryStatuses, RefusesInOneShortLineWhateverWasSent) {
  for (const auto& text :
       {std::string(5'000, '5'), std::string(900, 'x'), std::string{"50\n0"},
        std::string("5\0"
                    "0",
                    3),
        std::string{"\xc3\xa9"}}) {
    auto message = refused(text);
    ASSERT_FALSE(message.empty());
    EXPECT_LT(message.size(), 120u);
    for (char c : message)
      EXPECT_TRUE(c >= ' ' && c <= '~') << message;
  }
}

TEST(RetryStatuses, ShowsInItsMessagesWhatItAccepts) {
  EXPECT_EQ(refused("408,425,429,500-599,!501"), "");
}

// The table of `classify` and this set are one rule.
TEST(RetryStatuses, HasForUsualWhatIsRetriedWithoutAnExpression) {
  for (int status = 300; status <= 599; ++status) {
    attempt_result result;
    result.status = status;
    EXPECT_EQ(usual_retry_statuses().has(status),
              classify(result).what == classification::action::retry)
        << status;
  }
}

RC_GTEST_PROP(RetryStatuses, HoldsOnlyWhatWasWritten, ()) {
  struct item {
    bool out;
    int first;
    int last;
  };
  auto count = *rc::gen::inRange(1, 12);
  std::vector<item> items;
  std::string text;
  for (int i = 0; i < count; ++i) {
    auto first = *rc::gen::inRange(300, 600);
    auto last = *rc::gen::inRange(first, 600);
    auto out = *rc::gen::arbitrary<bool>();
    items.push_back({out, first, last});
    text += (i ? "," : "") + std::string{out ? "!" : ""} + std::to_string(first)
            + "-" + std::to_string(last);
  }
  bool only_out = true;
  for (const auto& one : items)
    only_out = only_out && one.out;
  auto parsed = parse_retry_statuses(text);
  RC_ASSERT(std::holds_alternative<status_set>(parsed));
  for (int status = 100; status <= 599; ++status) {
    bool in = only_out && usual_retry_statuses().has(status);
    bool out = false;
    for (const auto& one : items)
      if (one.first <= status && status <= one.last)
        (one.out ? out : in) = true;
    RC_ASSERT(std::get<status_set>(parsed).has(status) == (in && !out));
  }
}

} // namespace
} // namespace postrider
