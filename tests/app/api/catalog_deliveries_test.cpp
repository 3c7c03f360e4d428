#include "core/base64.hpp"
#include "tests/app/api/catalog_fixture.hpp"

namespace postrider {
namespace {

using namespace std::string_literals;

class api_catalog_deliveries : public api_catalog {};

TEST_F(api_catalog_deliveries, ShowsAnEventByEitherId) {
  add_endpoint();
  auto id = add_event(R"({"a" : 1})", R"(,"id":"own-1","ordering_key":"o",
    "headers":{"X-A":"b"},"occurred_at":"2026-01-02T03:04:05Z")");
  auto event = json_of(get("/v1/events/" + id));
  EXPECT_EQ(event.at("id"), id);
  EXPECT_EQ(event.at("tenant"), "acme");
  EXPECT_EQ(event.at("type"), "order.paid");
  EXPECT_EQ(event.at("kind"), "event");
  EXPECT_EQ(event.at("ordering_key"), "o");
  EXPECT_EQ(event.at("occurred_at"), "2026-01-02T03:04:05.000Z");
  EXPECT_EQ(event.at("size"), 9);
  EXPECT_EQ(event.at("deliveries"), 1);
  EXPECT_EQ(json_of(get("/v1/events/own-1?tenant=acme")), event);
  EXPECT_EQ(get("/v1/events/own-1?tenant=other").status, 404);
  EXPECT_EQ(get("/v1/events/" + id + "?tenant=other").status, 404);
  EXPECT_EQ(get("/v1/events/own-2?tenant=acme").status, 404);
}

// JSON-01, JSON-05, JSON-07, G11: from the API to the database and back.
TEST_F(api_catalog_deliveries, GivesThePayloadBackByteForByte) {
  for (auto payload : {R"({"s":"a\u0000b", "n":1e400 , "s":"\ud83d"})"s,
                       R"("{\"a\":1}")"s, "null"s}) {
    auto answer = get("/v1/events/" + add_event(payload) + "/payload");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, payload);
    EXPECT_EQ(answer.find("content-type"), "application/json");
    EXPECT_EQ(answer.find("x-content-type-options"), "nosniff");
  }
  auto bytes = "\0\xff\r\n\x80"s;
  auto made = json_of(
      post("/v1/events", R"({"tenant":"acme","type":"a","payload_base64":")"
                             + encode_base64(bytes)
                             + R"(","content_type":"image/png"})"),
      201);
  auto answer =
      get("/v1/events/" + made.at("id").get<std::string>() + "/payload");
  EXPECT_EQ(answer.body, bytes);
  EXPECT_EQ(answer.find("content-type"), "image/png");
}

// S3.18, S3.19
TEST_F(api_catalog_deliveries, StoresARepeatOnce) {
  add_endpoint();
  auto first = post("/v1/events", event_with("1"), "Idempotency-Key: k\r\n");
  auto again = post("/v1/events", event_with("1"), "Idempotency-Key: k\r\n");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(json_of(first, 201).at("id"), json_of(again).at("id"));
  EXPECT_EQ(json_of(get("/v1/deliveries")).at("data").size(), 1u);
  EXPECT_EQ(
      post("/v1/events", event_with("2"), "Idempotency-Key: k\r\n").status,
      422);
  EXPECT_EQ(post("/v1/events", event_with("2", R"(,"id":"k")")).status, 409);
}

TEST_F(api_catalog_deliveries, WantsOneReceiverForACommand) {
  auto command = event_with("1", R"(,"kind":"command")");
  EXPECT_EQ(code_of(post("/v1/events", command)), "not_one_receiver");
  add_endpoint();
  EXPECT_EQ(post("/v1/events", command).status, 201);
  add_endpoint();
  EXPECT_EQ(code_of(post("/v1/events", command)), "not_one_receiver");
  EXPECT_EQ(code_of(post("/v1/events",
                         R"({"tenant":"none","type":"a","payload":1})")),
            "unknown_tenant");
}

TEST_F(api_catalog_deliveries, FiltersAndPagesDeliveries) {
  auto endpoint = add_endpoint().substr("/v1/endpoints/"s.size());
  add_endpoint();
  auto event = add_event();
  for (int i = 0; i < 4; ++i)
    add_event();
  auto count = [&](const std::string& query) {
    return json_of(get("/v1/deliveries?" + query)).at("data").size();
  };
  EXPECT_EQ(count(""), 10u);
  EXPECT_EQ(count("tenant=acme&endpoint=" + endpoint), 5u);
  EXPECT_EQ(count("event=" + event), 2u);
  EXPECT_EQ(count("state=failed"), 0u);
  fail_deliveries();
  EXPECT_EQ(count("state=failed&endpoint=" + endpoint), 5u);
  std::set<std::string> seen;
  std::string cursor;
  do {
    auto page = json_of(get("/v1/deliveries?limit=3" + cursor));
    for (const auto& row : page.at("data"))
      EXPECT_TRUE(seen.insert(row.at("id").get<std::string>()).second);
    cursor = page.at("has_more")
                 ? "&cursor=" + page.at("next_cursor").get<std::string>()
                 : "";
  } while (!cursor.empty());
  EXPECT_EQ(seen.size(), 10u);
}

TEST_F(api_catalog_deliveries, ShowsAndRetriesAFailedDelivery) {
  add_endpoint();
  auto event = add_event();
  auto row = json_of(get("/v1/deliveries")).at("data").at(0);
  auto path = "/v1/deliveries/" + row.at("id").get<std::string>();
  EXPECT_EQ(row.at("state"), "queued");
  EXPECT_EQ(row.at("event"), event);
  EXPECT_EQ(json_of(get(path)), row);
  EXPECT_EQ(json_of(get(path + "/attempts")).at("data").size(), 0u);
  EXPECT_EQ(code_of(post(path + "/retry")), "wrong_state");

  fail_deliveries();
  auto failed = json_of(get(path));
  EXPECT_EQ(failed.at("state"), "failed");
  EXPECT_EQ(failed.at("reason"), "rejected");
  EXPECT_EQ(failed.at("last_status_code"), 400);
  auto attempt = json_of(get(path + "/attempts")).at("data").at(0);
  EXPECT_EQ(attempt.at("status_code"), 400);
  EXPECT_EQ(attempt.at("outcome"), "failed");
  EXPECT_EQ(attempt.at("final"), true);
  EXPECT_EQ(attempt.at("node"), "n1");
  EXPECT_EQ(attempt.at("response").at("body_excerpt"), "no <b>");

  auto changes = changes_.load();
  EXPECT_EQ(json_of(post(path + "/retry"), 202).at("id"), row.at("id"));
  EXPECT_EQ(changes_, changes + 1);
  EXPECT_EQ(json_of(get(path)).at("state"), "retrying");
}

TEST_F(api_catalog_deliveries, KnowsNoGuessedId) {
  add_endpoint();
  add_event();
  auto id = json_of(get("/v1/deliveries"))
                .at("data")
                .at(0)
                .at("id")
                .get<std::string>();
  auto& last = id.at(id.size() - 2);
  last = last == 'a' ? 'b' : 'a';
  for (auto more : {"", "/attempts"})
    EXPECT_EQ(get("/v1/deliveries/" + id + more).status, 404) << id;
  EXPECT_EQ(post("/v1/deliveries/" + id + "/retry").status, 404);
}

} // namespace
} // namespace postrider
