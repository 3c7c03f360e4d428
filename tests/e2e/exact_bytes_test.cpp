#include "tests/e2e/platform.hpp"

#include "core/base64.hpp"
#include "core/signature.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <algorithm>
#include <chrono>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[')
         + std::string(static_cast<std::size_t>(depth), ']');
}

std::string every_byte() {
  std::string out;
  for (int c = 0; c < 256; ++c)
    out += static_cast<char>(c);
  return out;
}

/// Texts that some other product changed, refused late or died of.
std::vector<std::string> odd_payloads() {
  return {
      R"({"s":"a\u0000b"})",                                 // JSON-01
      R"({"s":"C:\\u0000","t":"\\\u0000","u":"\\\\u0000"})", // JSON-02
      R"({"s":"\ud83d"})",                                   // JSON-04
      R"({"s":"\udc00\ud83d"})",                             // JSON-04
      R"({"k\ud800":1})",                                    // JSON-04
      R"({"a":1e2,"b":-0,"c":1e400,"d":1e200000,"e":0.10000000000000000555})",
      R"({"id":1,"id":2})",             // JSON-08
      nested(64),                       // JSON-10
      "null",                           // JSON-13
      "{\"a\":\t1 ,\r\n \"b\" : [ ] }", // JSON-14
      R"("{\"a\":1}")",                 // JSON-16
      R"({"id":9007199254740993})",
      "\"\xf0\x9f\x90\xa6 \xe2\x80\xa8 \xc3\xa9\"",
      "\"<script>&'</script>\\/\"",
      "12345678901234567890123456789012345678901234567890",
      "[" + std::string(200'000, ' ') + "]",
  };
}

/// What came is what was sent, byte for byte, and signed as such.
class ExactBytes : public ::testing::Test {
protected:
  ExactBytes() {
    here_.start();
    here_.tenant();
    here_.endpoint(shop_.url(), "*", R"("ordering":"none","retry":"20ms")");
  }

  void arrived(const std::multiset<std::string>& sent) {
    ASSERT_TRUE(here_.settled());
    const auto key = signing_key::parse(here_.secret());
    ASSERT_TRUE(key);
    std::multiset<std::string> got;
    for (const auto& one : shop_.arrivals()) {
      EXPECT_TRUE(verify_signature(*key, one.find("webhook-id"),
                                   one.find("webhook-timestamp"),
                                   one.find("webhook-signature"), one.body,
                                   std::chrono::floor<std::chrono::seconds>(
                                       std::chrono::system_clock::now()),
                                   60s));
      EXPECT_EQ(one.find("content-length"), fmt::format("{}", one.body.size()));
      if (one.find("X-Postrider-Attempt") != "0")
        got.insert(one.body);
    }
    EXPECT_EQ(got, sent);
  }

  // The first attempt fails: what is sent again is the same.
  receiver shop_{[](const arrival& got) {
    return answer(got.find("X-Postrider-Attempt") == "0" ? 503 : 204);
  }};
  platform here_;
};

// SIG-07, JSON-16: retries too
TEST_F(ExactBytes, OfJsonBySingleCallsArriveAndAreGivenBack) {
  std::multiset<std::string> sent;
  for (const auto& payload : odd_payloads()) {
    const auto id = here_.send("a.b", payload);
    sent.insert(payload);
    EXPECT_EQ(here_.call("GET", "/v1/events/" + id + "/payload").body, payload);
  }
  arrived(sent);
}

TEST_F(ExactBytes, OfJsonByBatchesArrive) {
  std::multiset<std::string> sent;
  std::string array;
  std::string lines;
  for (const auto& payload : odd_payloads()) {
    const auto item =
        "{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":" + payload + "}";
    array += (array.empty() ? "[" : " ,\n") + item;
    sent.insert(payload);
    if (payload.find('\n') != std::string::npos)
      continue;
    lines += item + "\n";
    sent.insert(payload);
  }
  const auto first = here_.call("POST", "/v1/events/batch", array + "]");
  ASSERT_EQ(first.status, 200);
  EXPECT_NE(first.body.find("\"rejected\":0"), std::string::npos) << first.body;
  const auto text = fmt::format("POST /v1/events/batch HTTP/1.1\r\nHost: t\r\n"
                                "Authorization: Bearer {}\r\n"
                                "Content-Type: application/x-ndjson\r\n"
                                "Content-Length: {}\r\n\r\n{}",
                                here_.key(), lines.size(), lines);
  const auto second = exchange(here_.nodes()[0]->api_port(), text);
  ASSERT_TRUE(second);
  EXPECT_NE(second->body.find("\"rejected\":0"), std::string::npos)
      << second->body;
  arrived(sent);
}

TEST_F(ExactBytes, OfAnyKindInBase64Arrive) {
  const std::multiset<std::string> payloads{
      every_byte(),         "",           "{\"a\": 1}\r\n",
      std::string(3, '\0'), "\xff\xfe{}", std::string(150'000, '\xee')};
  for (const auto& payload : payloads) {
    const auto answer =
        here_.call("POST", "/v1/events",
                   fmt::format("{{\"tenant\":\"acme\",\"type\":\"a.b\","
                               "\"payload_base64\":\"{}\",\"content_type\":"
                               "\"application/json\"}}",
                               encode_base64(payload)));
    ASSERT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(
        here_
            .call("GET", "/v1/events/" + member(answer.body, "id") + "/payload")
            .body,
        payload);
  }
  arrived(payloads);
}

TEST_F(ExactBytes, OfPublishArrive) {
  std::multiset<std::string> sent;
  pqxx::connection link{here_.url()};
  pqxx::work work{link};
  for (const auto& payload : odd_payloads()) {
    work.exec_params("select postrider.publish('acme', 'a.b', $1::text)",
                     payload);
    sent.insert(payload);
  }
  work.exec_params("select postrider.publish('acme', 'a.b', $1::bytea, "
                   "content_type => 'application/octet-stream')",
                   pqxx::binarystring{every_byte()});
  sent.insert(every_byte());
  work.commit();
  arrived(sent);
}

// JSON-11: a deep and long text costs time by its length only.
TEST_F(ExactBytes, OfDeepAndLongJsonAreTakenOrRefusedQuickly) {
  std::string deep;
  for (int i = 0; i < 250; ++i)
    deep += "{\"a\":[";
  for (int i = 0; i < 85'000; ++i)
    deep += "0,";
  deep += '0';
  for (int i = 0; i < 250; ++i)
    deep += "]}";
  const auto asked = std::chrono::steady_clock::now();
  const auto answer = here_.call(
      "POST", "/v1/events",
      "{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":" + deep + "}");
  EXPECT_TRUE(answer.status == 201 || answer.status == 400) << answer.body;
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 1s);
}

} // namespace
} // namespace postrider::testing
