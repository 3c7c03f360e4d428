#include "tests/app/api/fixture.hpp"

namespace postrider {
namespace {

class api_batch : public api_test {
protected:
  nlohmann::json post(const std::string& body,
                      std::string_view type = "application/json") {
    auto answer = call("POST", "/v1/events/batch", body,
                       "Content-Type: " + std::string{type} + "\r\n");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return nlohmann::json::parse(answer.body);
  }
};

TEST_F(api_batch, AnswersForEachItemAndStoresTheGoodOnes) {
  auto said = post("[" + event_with("1") + "," + event_with("2", ",\"x\":1")
                   + ", 7," + event_with("{\"a\" :3}")
                   + R"(,{"tenant":"other",)" + R"("type":"a","payload":1}])");
  EXPECT_EQ(said.at("accepted"), 2);
  EXPECT_EQ(said.at("rejected"), 3);
  EXPECT_EQ(said.at("duplicates"), 0);
  const auto& results = said.at("results");
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results[0].at("status"), 201);
  EXPECT_EQ(results[1].at("status"), 422);
  EXPECT_EQ(results[1].at("problem").at("errors").at(0).at("pointer"), "/x");
  EXPECT_EQ(results[2].at("problem").at("code"), "validation_failed");
  EXPECT_EQ(results[3].at("index"), 3);
  EXPECT_EQ(results[4].at("problem").at("code"), "unknown_tenant");
  ASSERT_EQ(engine_.stored().size(), 2u);
  EXPECT_EQ(engine_.stored()[1].payload, "{\"a\" :3}");
}

// JSON-17
TEST_F(api_batch, StoresAnIdOnceThatComesTwice) {
  auto said = post("[" + event_with("1", R"(,"id":"e1")") + ","
                   + event_with("2", R"(,"id":"e2")") + ","
                   + event_with("1", R"(,"id":"e1")") + ","
                   + event_with("9", R"(,"id":"e1")") + "]");
  EXPECT_EQ(said.at("accepted"), 2);
  EXPECT_EQ(said.at("duplicates"), 1);
  EXPECT_EQ(said.at("results")[2].at("status"), 200);
  EXPECT_EQ(said.at("results")[2].at("id"), said.at("results")[0].at("id"));
  EXPECT_EQ(said.at("results")[3].at("status"), 409);
  EXPECT_EQ(engine_.stored().size(), 2u);
}

TEST_F(api_batch, ReadsLinesOneByOne) {
  auto said = post(event_with("1") + "\r\n{bad\n\n" + event_with("2"),
                   "application/x-ndjson");
  EXPECT_EQ(said.at("accepted"), 2);
  EXPECT_EQ(said.at("results")[1].at("status"), 400);
  EXPECT_EQ(said.at("results")[1].at("problem").at("code"), "malformed_json");
}

// PG-17
TEST_F(api_batch, BoundsTheNumberOfItems) {
  std::string lines;
  for (int i = 0; i < 11; ++i)
    lines += event_with("1") + "\n";
  auto answer = call("POST", "/v1/events/batch", lines,
                     "Content-Type: application/x-ndjson\r\n");
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(code_of(answer), "payload_too_large");
  EXPECT_TRUE(engine_.stored().empty());
}

TEST_F(api_batch, RefusesWhatIsNoBatch) {
  EXPECT_EQ(call("POST", "/v1/events/batch", "[1,", as_json).status, 400);
  EXPECT_EQ(call("POST", "/v1/events/batch", "{}", as_json).status, 422);
  EXPECT_EQ(call("POST", "/v1/events/batch", "[]",
                 std::string{as_json} + "Idempotency-Key: k\r\n")
                .status,
            422);
  EXPECT_EQ(post("[]").at("accepted"), 0);
}

TEST_F(api_batch, RefusesTheWholeWhenTheEngineDoes) {
  engine_.refuse_with(api::ingest_answer::status::overloaded);
  auto answer =
      call("POST", "/v1/events/batch", "[" + event_with("1") + "]", as_json);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.find("retry-after"), "1");
}

} // namespace
} // namespace postrider
