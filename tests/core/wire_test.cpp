#include "core/wire.hpp"

#include "core/public_id.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

constexpr std::chrono::sys_seconds now{std::chrono::seconds{1'767'225'600}};

class Wire : public ::testing::Test {
protected:
  Wire() {
    event_.id.bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    event_.content_type = "application/json";
    event_.payload = std::make_shared<const std::string>(R"({"a": 1})");
    row_.id = 77;
    row_.partition = 3;
    row_.event = event_.id;
    row_.attempts = 2;
  }

  std::string find(std::string_view name) const {
    const auto lines = attempt_headers(to_, event_, row_, now, options_);
    EXPECT_EQ(lines.fault(), "");
    const auto text = "\r\n" + std::string{lines.text()};
    const auto start = "\r\n" + std::string{name} + ": ";
    const auto place = text.find(start);
    if (place == std::string::npos)
      return "(absent)";
    const auto value = place + start.size();
    return text.substr(value, text.find("\r\n", value) - value);
  }

  endpoint to_;
  event_content event_;
  delivery row_;
  wire_options options_;
};

// S1.31, S3.75
TEST_F(Wire, SaysWhatIsDelivered) {
  EXPECT_EQ(find("content-type"), "application/json");
  EXPECT_EQ(find("webhook-id"), webhook_id(row_));
  EXPECT_EQ(find("webhook-timestamp"), "1767225600");
  EXPECT_EQ(find("X-Postrider-Event-Id"), event_public_id(event_.id));
  EXPECT_EQ(find("X-Postrider-Sequence"), "77");
  EXPECT_EQ(find("X-Postrider-Attempt"), "2");
  EXPECT_EQ(find("user-agent"), "postrider");
}

// S3.74: the same on every attempt, and nothing that would break a signature.
TEST_F(Wire, KeepsTheWebhookIdOverAllAttempts) {
  const auto first = webhook_id(row_);
  row_.attempts = 9;
  row_.due = 5;
  EXPECT_EQ(webhook_id(row_), first);
  EXPECT_EQ(first.find('.'), std::string::npos);
  EXPECT_EQ(parse_delivery_id(first)->id, 77);
  row_.id = 78;
  EXPECT_NE(webhook_id(row_), first);
}

// SIG-04, SIG-05: every live secret signs the stored bytes.
TEST_F(Wire, SignsTheStoredBytesWithEveryLiveSecret) {
  for (char byte : {'n', 'o'})
    to_.keys.push_back(*signing_key::from_bytes(std::string(32, byte)));
  const auto id = webhook_id(row_);
  EXPECT_EQ(find("webhook-signature"),
            to_.keys[0].sign(id, now, *event_.payload) + " "
                + to_.keys[1].sign(id, now, *event_.payload));
}

// SIG-04: nothing goes out unsigned because a secret ran out meanwhile.
TEST_F(Wire, MaySignWhileOneSecretLives) {
  EXPECT_TRUE(may_sign(to_, now)) << "it never had any";
  for (char byte : {'n', 'o'})
    to_.keys.push_back(*signing_key::from_bytes(std::string(32, byte)));
  to_.keys[1].expire(now);
  EXPECT_TRUE(may_sign(to_, now));
  to_.keys[0].expire(now + std::chrono::seconds{1});
  EXPECT_TRUE(may_sign(to_, now));
  EXPECT_FALSE(may_sign(to_, now + std::chrono::seconds{1}));
}

TEST_F(Wire, SendsNoSignatureWithoutASecret) {
  EXPECT_EQ(find("webhook-signature"), "(absent)");
}

TEST_F(Wire, CarriesATraceOnlyWhenThereIsOne) {
  EXPECT_EQ(find("traceparent"), "(absent)");
  event_.traceparent =
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(find("traceparent"), event_.traceparent);
}

// S1.57
TEST_F(Wire, UsesTheNamesOfTheDeployment) {
  options_ = {"X-Shopware-", "shop/1"};
  EXPECT_EQ(find("X-Shopware-Sequence"), "77");
  EXPECT_EQ(find("X-Postrider-Sequence"), "(absent)");
  EXPECT_EQ(find("user-agent"), "shop/1");
}

TEST_F(Wire, AddsTheHeadersOfTheEventAndOfTheEndpoint) {
  event_.headers = {{"x-order", "1"}};
  to_.headers = {{"authorization", "Bearer x"}};
  EXPECT_EQ(find("x-order"), "1");
  EXPECT_EQ(find("authorization"), "Bearer x");
}

// Stored before the prefix was another, or by SQL: what is ours is said once.
TEST_F(Wire, LetsNobodySpeakUnderItsPrefix) {
  options_.header_prefix = "X-Shopware-";
  event_.headers = {{"x-shopware-sequence", "1"}, {"x-order", "1"}};
  to_.headers = {{"X-SHOPWARE-Attempt", "9"}, {"x-plain", "1"}};
  const std::string text{
      attempt_headers(to_, event_, row_, now, options_).text()};
  EXPECT_EQ(text.find("x-shopware"), std::string::npos) << text;
  EXPECT_EQ(text.find("SHOPWARE"), std::string::npos) << text;
  EXPECT_EQ(find("X-Shopware-Sequence"), "77");
  EXPECT_EQ(find("x-order"), "1");
  EXPECT_EQ(find("x-plain"), "1");
}

// The client adds these two.
TEST_F(Wire, LeavesTheFramingToTheClient) {
  EXPECT_EQ(find("host"), "(absent)");
  EXPECT_EQ(find("content-length"), "(absent)");
}

} // namespace
} // namespace postrider
