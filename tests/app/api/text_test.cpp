#include "app/api/cursor.hpp"
#include "app/api/event_body.hpp"
#include "app/api/json_text.hpp"
#include "app/api/json_writer.hpp"
#include "app/api/rfc3339.hpp"
#include "app/api/utf8.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <limits>
#include <random>

namespace postrider {
namespace {

using namespace std::string_literals;
using api::json_fault;
using api::json_value;
using api::read_json;

bool accepts(std::string_view text) {
  return std::holds_alternative<json_value>(read_json(text));
}

TEST(json_text, AcceptsJsonAndNothingElse) {
  for (auto good : {"0", "-0", "1.5e-7", " [1, 2] ", "{}", "[]", "\"\"",
                    R"({"a":{"b":[null,true,false,"\u12Ab\/\b\f\n\r\t\"\\"]}})",
                    "[[],{},[{}]]", "{\"\":0}", "1E+2"})
    EXPECT_TRUE(accepts(good)) << good;
  for (auto bad : {"",
                   " ",
                   "01",
                   "-",
                   "1.",
                   ".5",
                   "1e",
                   "+1",
                   "tru",
                   "nul",
                   "True",
                   "NaN",
                   "[1,]",
                   "[,1]",
                   "[1 2]",
                   "[1",
                   "]",
                   "{",
                   "{\"a\"}",
                   "{\"a\":}",
                   "{\"a\":1,}",
                   "{a:1}",
                   "{\"a\":1 \"b\":2}",
                   "{1:2}",
                   "\"",
                   "\"\\",
                   "\"\\x\"",
                   "\"\\u12g4\"",
                   "\"a\nb\"",
                   "[1}",
                   "{\"a\":1]",
                   "1 2",
                   "[] []",
                   "'a'",
                   "// c\n1",
                   "\xef\xbb\xbf{}",
                   "\"\\u12\"",
                   "[\"a\",]",
                   "{,}"})
    EXPECT_FALSE(accepts(bad)) << bad;
  EXPECT_FALSE(accepts("1\0"s));
  EXPECT_FALSE(accepts("\0"s));
}

TEST(json_text, AgreesWithAnotherParserOnDamagedTexts) {
  const std::string good =
      R"({"a":[1,-2.5e3,{"b":"c\n\u00e9"},[],{}],"d":null,"e":true,"é":"x"})";
  std::mt19937 random{7};
  const std::string bytes = "{}[]\",:0123456789eE+-.\\u ntfb\n\x01\x80\xc3";
  for (int round = 0; round < 20'000; ++round) {
    auto text = good;
    for (auto changes = random() % 3 + 1; changes > 0; --changes) {
      auto at = random() % text.size();
      auto byte = bytes[random() % bytes.size()];
      switch (random() % 3) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.erase(at, 1);
        break;
      default:
        text.insert(at, 1, byte);
      }
    }
    // The other one refuses unpaired surrogates and numbers out of range,
    // which these changes cannot make.
    ASSERT_EQ(accepts(text), nlohmann::json::accept(text)) << text;
  }
}

// JSON-04, JSON-07: whatever else is wrong stays wrong beside them.
TEST(json_text, TakesNumbersAndEscapesThatNoMachineTypeHolds) {
  for (auto good : {"1e400", "[-1E+400,123456789012345678901234,0.5e-9999]",
                    R"({"\\\ud83d":"\udc00\uD83D","a":[1e400, -0]})",
                    R"(["\\ud83d",1e400])", R"([[1e400],"\"",{"a":1e400}])"})
    EXPECT_TRUE(accepts(good)) << good;
  for (auto bad : {"1e400 1",          "[1e400,01]",         "[1e400,1.]",
                   "[1e400,-]",        "[1e400,1.2.3]",      "[1e400,1e]",
                   "[1e400,.5]",       "[1e400,+1]",         "[1e400",
                   "[1e400,]",         "[1e400,nul]",        "-1e400e1",
                   "01e400",           R"(["\ud83"])",       R"(["\ud83g"])",
                   R"(["\ud83d",1.])", R"(["\ud83d","\x"])", R"("\ud83d)",
                   R"("\ud8\")",       R"(["\ud83d",1e400)"})
    EXPECT_FALSE(accepts(bad)) << bad;
}

TEST(json_text, SaysWhatIsWrongAndWhere) {
  struct {
    std::string_view text;
    std::size_t offset;
    std::string_view what;
  } cases[] = {
      {"", 0, "there is no JSON"},
      {R"({"a":[1,{"b":1e400,"c":1.}]})", 23, "a number"},
      {R"({"a":1,"b":nulL})", 11, "a word"},
      {R"({"a":1,"b\x":1})", 7, "a string holds an escape"},
      {"[1,\"a\nb\"]", 5, "a control character"},
      {R"({"a":1 "b":2})", 7, "a value, comma"},
      {R"({"a":1}})", 7, "a value, comma"},
      {"{", 1, "the JSON ends"},
      {R"({"a":"b)", 7, "a string is not closed"},
      {"[\"\xc3(\"]", 2, "the text is not UTF-8"},
  };
  for (const auto& [text, offset, what] : cases) {
    auto read = read_json(text);
    auto* fault = std::get_if<json_fault>(&read);
    ASSERT_TRUE(fault) << text;
    EXPECT_EQ(fault->offset, offset) << text;
    EXPECT_EQ(fault->what.substr(0, what.size()), what) << text;
  }
}

// JSON-11, K-05: time grows with the size and not faster.
TEST(json_text, ReadsDeepTextInLinearTime) {
  auto time_of = [](int zeros) {
    std::string text;
    for (int i = 0; i < 250; ++i)
      text += "{\"a\":[";
    for (int i = 0; i < zeros; ++i)
      text += "0,";
    text += '0';
    for (int i = 0; i < 250; ++i)
      text += "]}";
    auto best = std::chrono::nanoseconds::max();
    for (int round = 0; round < 5; ++round) {
      auto start = std::chrono::steady_clock::now();
      EXPECT_TRUE(accepts(text));
      best = std::min<std::chrono::nanoseconds>(
          best, std::chrono::steady_clock::now() - start);
    }
    return best;
  };
  auto small = time_of(100'000);
  auto large = time_of(200'000);
  EXPECT_LT(small, std::chrono::milliseconds{50});
  EXPECT_LT(large, small * 5 / 2 + std::chrono::milliseconds{1});
}

TEST(json_text, TakesObjectsApartWithoutTouchingTheirText) {
  auto read = read_json(
      R"( { "a\u0062" : [1, {"x":"]}"}] ,"c":"d,\"}" , "e":-1.50e2 } )");
  auto members = api::members_of(std::get<json_value>(read));
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].key, "ab");
  EXPECT_EQ(members[0].value.text, R"([1, {"x":"]}"}])");
  EXPECT_EQ(members[1].value.text, R"("d,\"}")");
  EXPECT_EQ(members[2].value.text, "-1.50e2");
  auto elements = api::elements_of(members[0].value);
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_EQ(elements[1].text, R"({"x":"]}"})");
}

TEST(json_text, UnescapesToUtf8) {
  auto text = [](std::string_view json) {
    return api::unescape({api::json_kind::string, json});
  };
  EXPECT_EQ(text(R"("\u0041\u00e9\u20ac\ud83d\ude00\n\/")"),
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n/");
  EXPECT_EQ(text(R"("\u0000")"), "\0"s);
  for (auto lone : {R"("\ud83d")", R"("\ud83dx")", R"("\ude00")",
                    R"("\ud83d\u0041")", R"("\ud83d\n")"})
    EXPECT_FALSE(text(lone)) << lone;
}

TEST(json_writer, WritesValidJsonWhateverIsPutIn) {
  std::mt19937 random{11};
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (auto& byte : bytes)
      byte = static_cast<char>(random() % 256);
    api::json_writer out;
    out.begin_object().key(bytes).begin_array();
    out.string(bytes).number(-5).seconds(1'500).boolean(true).null();
    out.begin_object().end_object().end_array();
    out.key("always the same").seconds(2'000).end_object();
    auto text = out.take();
    ASSERT_TRUE(accepts(text)) << text;
    auto read = nlohmann::json::parse(text);
    EXPECT_EQ(read.at("always the same"), 2);
    if (api::find_invalid_utf8(bytes) == bytes.npos) {
      EXPECT_EQ(read.at(bytes).at(0), bytes);
      EXPECT_EQ(read.at(bytes).at(2), 1.5);
    }
  }
}

TEST(cursor, ComesBackOnlyToItsList) {
  for (const auto& key :
       {api::key_of({1}), api::key_of({123456789, -1}), std::string{"acme"},
        api::key_of({std::numeric_limits<std::int64_t>::max(), 2, 3})}) {
    auto text = api::make_cursor("deliveries", key);
    EXPECT_EQ(text.find_first_of("+/="), text.npos);
    EXPECT_EQ(api::read_cursor("deliveries", text), key);
    EXPECT_FALSE(api::read_cursor("endpoints", text));
    for (auto& c : text) {
      auto changed = text;
      changed[static_cast<std::size_t>(&c - text.data())] =
          c == 'A' ? 'B' : 'A';
      EXPECT_FALSE(api::read_cursor("deliveries", changed));
    }
    EXPECT_FALSE(api::read_cursor("deliveries", text + "A"));
    EXPECT_FALSE(api::read_cursor("deliveries", text.substr(1)));
  }
}

TEST(cursor, KeepsNumbers) {
  const std::vector<std::int64_t> numbers{
      1, -2, std::numeric_limits<std::int64_t>::min()};
  auto key = api::key_of({numbers[0], numbers[1], numbers[2]});
  EXPECT_EQ(api::numbers_of(key, 3), numbers);
  EXPECT_FALSE(api::numbers_of(key, 2));
  EXPECT_FALSE(api::numbers_of("text", 1));
}

TEST(rfc3339, ReadsWhatItWritesAndRefusesTheRest) {
  EXPECT_EQ(api::to_rfc3339(api::time_ms{std::chrono::milliseconds{1}}),
            "1970-01-01T00:00:00.001Z");
  for (std::string_view text :
       {"2026-11-29T20:11:04.120Z", "2000-02-29T23:59:59.999Z"})
    EXPECT_EQ(api::to_rfc3339(*api::parse_rfc3339(text)), text);
  EXPECT_EQ(api::parse_rfc3339("2026-01-01T00:30:00+01:00"),
            api::parse_rfc3339("2025-12-31t23:30:00.0009z"));
  for (auto bad :
       {"", "2026-01-01", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-1-01T00:00:00Z",
        "2026-01-01T00:00:00Z ", "1969-12-31T23:59:59Z",
        "2026-01-01T00:00:00+0100", "+026-01-01T00:00:00Z"})
    EXPECT_FALSE(api::parse_rfc3339(bad)) << bad;
}

TEST(fingerprint, TellsApartWhatDiffersAndOnlyThat) {
  new_event event;
  event.type = "a";
  event.payload = "bc";
  event.headers = {{"X-A", "1"}, {"X-B", "2"}};
  auto first = api::fingerprint_of(event);
  auto other = event;
  other.headers = {{"x-b", "2"}, {"x-a", "1"}};
  other.traceparent = "differs on every try";
  EXPECT_EQ(api::fingerprint_of(other), first);
  other.type = "ab";
  other.payload = "c";
  EXPECT_NE(api::fingerprint_of(other), first);
  other = event;
  other.kind = event_kind::command;
  EXPECT_NE(api::fingerprint_of(other), first);
}

} // namespace
} // namespace postrider
