#include "core/public_id.hpp"
#include "tests/app/api/fixture.hpp"

namespace postrider {
namespace {

using namespace std::string_literals;

// What passes ends at the database, which is away here.
class api_endpoint_flow : public api_test {
protected:
  testing::raw_answer post(const std::string& members) {
    return call("POST", "/v1/endpoints",
                R"({"tenant":"acme","types":["*"],"url":"https://h.example/",)"
                    + members + "}",
                as_json);
  }
  testing::raw_answer pause(std::string_view body) {
    return call("POST", "/v1/endpoints/" + endpoint_public_id({}) + "/pause",
                body, as_json);
  }
};

TEST_F(api_endpoint_flow, JudgesRateStatusesAndPolicy) {
  struct {
    const char* members;
    const char* pointer;
    const char* code;
  } cases[] = {
      {R"("rate":0)", "/rate", "out_of_range"},
      {R"("rate":-1)", "/rate", "out_of_range"},
      {R"("rate":100000.5)", "/rate", "out_of_range"},
      {R"("rate":"5")", "/rate", "wrong_type"},
      {R"("retry_statuses":"200")", "/retry_statuses", "bad_statuses"},
      {R"("retry_statuses":"")", "/retry_statuses", "too_short"},
      {R"("retry_statuses":500)", "/retry_statuses", "wrong_type"},
      {R"("health_policy":"shopp")", "/health_policy", "unknown_value"},
      {R"("health":{"paused":true})", "/health", "unknown_member"},
  };
  for (const auto& [members, pointer, code] : cases)
    expect_fault(post(members), 422, pointer, code);
  EXPECT_NE(post(R"("health_policy":"shopp")")
                .body.find("default, shop (did you mean shop?)"),
            std::string::npos);
  EXPECT_NE(post(R"("retry_statuses":"408,59x")").body.find("59x"),
            std::string::npos);
  for (auto members : {R"("rate":0.5)", R"("rate":100000)", R"("rate":null)",
                       R"("retry_statuses":"408,425,429,500-599,!501")",
                       R"("retry_statuses":null)", R"("health_policy":"shop")"})
    EXPECT_EQ(post(members).status, 503) << members;
}

TEST_F(api_endpoint_flow, TakesARetryPolicyAsTextListOrObject) {
  for (auto retry :
       {R"("shop")", R"("5s 30s attempts=7 jitter=20% max_age=24h")",
        R"(["5s","30s"])", R"({"waits":["5s"]})",
        R"({"waits":["5s"],"max_attempts":3,"jitter":null,"max_age":"1h"})",
        R"({"max_attempts":1})", "null"})
    EXPECT_EQ(post("\"retry\":"s + retry).status, 503) << retry;
}

TEST_F(api_endpoint_flow, TellsWhichPartOfARetryPolicyIsWrong) {
  struct {
    const char* retry;
    const char* pointer;
    const char* code;
  } cases[] = {
      {R"("5s jitter=200%")", "/retry", "bad_retry"},
      {R"("1h 2h max_age=2h")", "/retry", "bad_retry"},
      {R"({})", "/retry/waits", "bad_retry"},
      {R"({"waits":"5s"})", "/retry/waits", "wrong_type"},
      {R"({"waits":["5s","soon"]})", "/retry/waits/1", "bad_wait"},
      {R"({"waits":["5s"],"max_attempts":101})", "/retry/max_attempts",
       "out_of_range"},
      {R"({"waits":["5s"],"jitter":"5"})", "/retry/jitter", "bad_retry"},
      {R"({"waits":["5s"],"jitter":"5% attempts=9"})", "/retry/jitter",
       "bad_retry"},
      {R"({"waits":["5s"],"max_age":"1h jitter=5%"})", "/retry/max_age",
       "bad_retry"},
      {R"({"waits":["1h","2h"],"max_age":"2h"})", "/retry/max_age",
       "bad_retry"},
      {R"({"waits":["5s"],"attempts":3})", "/retry/attempts", "unknown_member"},
  };
  for (const auto& [retry, pointer, code] : cases)
    expect_fault(post("\"retry\":"s + retry), 422, pointer, code);
  const auto both = post(R"("retry":"1h 2h max_age=2h")").body;
  EXPECT_NE(both.find("come to 3h"), std::string::npos) << both;
  EXPECT_NE(both.find("max_age is 2h"), std::string::npos) << both;
  EXPECT_NE(post(R"("retry":"shopp")").body.find("default, shop, railhook-out"),
            std::string::npos);
}

TEST_F(api_endpoint_flow, TakesAReasonOf500CharactersWithoutControl) {
  std::string umlauts;
  for (int i = 0; i < 500; ++i)
    umlauts += "\u00fc";
  const auto with = [&](const std::string& reason) {
    return pause(R"({"reason":")" + reason + R"("})");
  };
  EXPECT_EQ(with(umlauts).status, 503);
  EXPECT_EQ(pause("{}").status, 503);
  EXPECT_EQ(pause("").status, 503);
  EXPECT_EQ(pause(R"({"reason":null})").status, 503);
  expect_fault(with(umlauts + "x"), 422, "/reason", "too_long");
  for (auto control : {"a\\nb", "\\u001b[2J", "\\u007f", "\\u009b1m"})
    expect_fault(with(control), 422, "/reason", "bad_text");
  expect_fault(pause(R"({"raeson":"x"})"), 422, "/raeson", "unknown_member");
  expect_fault(pause("[]"), 422, "", "wrong_type");
  EXPECT_EQ(code_of(pause("{")), "malformed_json");
  EXPECT_EQ(call("POST", "/v1/endpoints/nonsense/pause", "{}", as_json).status,
            404);
}

} // namespace
} // namespace postrider
