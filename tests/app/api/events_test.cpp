#include "core/base64.hpp"
#include "core/public_id.hpp"
#include "tests/app/api/fixture.hpp"

namespace postrider {
namespace {

using namespace std::string_literals;

class api_events : public api_test {
protected:
  testing::raw_answer post(std::string_view body,
                           std::string_view headers = "") {
    return call("POST", "/v1/events", body,
                std::string{as_json} + std::string{headers});
  }

  void expect_kept(const std::string& payload) {
    auto before = engine_.stored().size();
    auto answer = post(event_with(payload));
    EXPECT_EQ(answer.status, 201) << answer.body;
    ASSERT_EQ(engine_.stored().size(), before + 1);
    EXPECT_EQ(engine_.stored().back().payload, payload);
  }
};

TEST_F(api_events, AnswersCreatedWithTheEventAfterItIsStored) {
  auto answer = post(event_with(R"({"a":1})"));
  ASSERT_EQ(answer.status, 201);
  auto body = nlohmann::json::parse(answer.body);
  EXPECT_TRUE(parse_event_id(body.at("id").get<std::string>()));
  EXPECT_EQ(body.at("duplicate"), false);
  EXPECT_EQ(body.at("deliveries"), 2);
  EXPECT_EQ(body.at("accepted_at").get<std::string>().size(), 24u);
  EXPECT_FALSE(body.contains("key"));
  EXPECT_EQ(answer.find("location"),
            "/v1/events/" + body.at("id").get<std::string>());
}

TEST_F(api_events, TakesEveryMemberOver) {
  auto answer = post(
      R"({"tenant":"acme","type":"one.receiver","kind":"command","payload":[],
        "id":"own-1","ordering_key":"o\u00e9","headers":{"X-A":"b"},
        "correlation_id":"c","producer":"p","schema_version":"2",
        "content_type":"application/vnd.x+json",
        "occurred_at":"2026-11-29T22:11:04.120+02:00"})",
      "traceparent: "
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n");
  ASSERT_EQ(answer.status, 201) << answer.body;
  auto event = engine_.stored().at(0);
  EXPECT_EQ(event.kind, event_kind::command);
  EXPECT_EQ(event.key, "own-1");
  EXPECT_EQ(event.fingerprint.size(), 32u);
  EXPECT_EQ(event.ordering_key, "o\xc3\xa9");
  EXPECT_EQ(event.headers, (std::vector<header>{{"X-A", "b"}}));
  EXPECT_EQ(event.correlation_id, "c");
  EXPECT_EQ(event.producer, "p");
  EXPECT_EQ(event.schema_version, "2");
  EXPECT_EQ(event.content_type, "application/vnd.x+json");
  EXPECT_EQ(event.traceparent.size(), 55u);
  ASSERT_TRUE(event.occurred_at);
  EXPECT_EQ(event.occurred_at->time_since_epoch().count(), 1795983064120);
}

// JSON-01, JSON-02, JSON-04, JSON-07, JSON-13, JSON-16; G11
TEST_F(api_events, KeepsThePayloadByteForByte) {
  for (
      auto payload :
      {R"({"s":"a\u0000b"})",
       R"({"s":"C:\\u0000","t":"\\\u0000","u":"\\\\u0000"})",
       R"({"s":"\ud83d"})", R"({"s":"\udc00\ud83d"})", R"({"k\ud800":1})",
       R"({"a":1e2,"b":-0,"c":1e400,"d":1e200000,"e":0.100000000000000005551})",
       R"({"n":123456789012345678901234567890})", R"("{\"a\":1}")", "null",
       "true", "-1.5e+3", "[ 1 ,\t2\r\n]", R"({"id":1,"id":2})",
       "\"\xf0\x9f\x98\x80\"", R"({"payload":{"payload":1}, "x" : "}]" })",
       "[]", "{}", "\"\""})
    expect_kept(payload);
  // White space around the value is the envelope's, not the payload's.
  post(R"({"tenant":"acme","type":"a.b", "payload" :  {"a" : 1}  , "id":"z"})");
  EXPECT_EQ(engine_.stored().back().payload, R"({"a" : 1})");
}

TEST_F(api_events, TakesAnyBytesAsBase64) {
  auto bytes = "a\0\xff\r\n"s;
  auto answer =
      post(R"({"tenant":"acme","type":"a","payload_base64":")"
           + encode_base64(bytes) + R"(","content_type":"image/png"})");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(engine_.stored().back().payload, bytes);
  EXPECT_EQ(engine_.stored().back().content_type, "image/png");
  expect_fault(post(R"({"tenant":"acme","type":"a","payload_base64":"a-b_"})"),
               422, "/payload_base64", "bad_base64");
  expect_fault(post(event_with("1", R"(,"payload_base64":"YQ==")")), 422,
               "/payload", "ambiguous");
  expect_fault(post(R"({"tenant":"acme","type":"a"})"), 422, "/payload",
               "required");
}

// JSON-05: the reason names an offset, never the bytes.
TEST_F(api_events, RefusesWhatIsNotUtf8) {
  for (auto bad : {"\xc3(", "\xed\xa0\xbd", "\xc0\x80", "\xf4\x90\x80\x80"}) {
    auto body = event_with("{\"s\":\""s + bad + "\"}");
    auto answer = post(body);
    EXPECT_EQ(answer.status, 400);
    auto detail = problem_of(answer).at("detail").get<std::string>();
    EXPECT_NE(detail.find("at byte " + std::to_string(body.find(bad))),
              detail.npos)
        << detail;
  }
  EXPECT_EQ(post("\xff\xfe{\0}\0"s).status, 400);
  EXPECT_TRUE(engine_.stored().empty());
}

// JSON-08: also when one spelling is escaped.
TEST_F(api_events, RefusesAMemberGivenTwice) {
  for (auto twice :
       {R"({"type":"a.b","type":"admin.c","tenant":"acme","payload":{}})",
        R"({"type":"a.b","ty\u0070e":"x","tenant":"acme","payload":{}})"})
    expect_fault(post(twice), 400, "/type", "duplicate_member");
  expect_fault(post(event_with("1", R"(,"headers":{"A":"1","a":"2"})")), 400,
               "/headers/a", "duplicate_member");
  EXPECT_TRUE(engine_.stored().empty());
}

// JSON-10, K-05
TEST_F(api_events, BoundsTheDepth) {
  auto nested = [](std::size_t times) {
    return std::string(times, '[') + std::string(times, ']');
  };
  EXPECT_EQ(post(nested(100'000)).status, 400);
  std::string objects;
  for (int i = 0; i < 100'000; ++i)
    objects += "{\"a\":";
  EXPECT_EQ(post(objects).status, 400);
  expect_kept(nested(64));
  expect_kept(nested(1000));
  EXPECT_EQ(post(event_with(nested(1024))).status, 400);
}

// JSON-13
TEST_F(api_events, NamesWhatIsWrongWithTheEnvelope) {
  for (auto body : {"null", "[]", "0", "\"x\""})
    expect_fault(post(body), 422, "", "wrong_type");
  expect_fault(post("{}"), 422, "/tenant", "required");
  expect_fault(post("{}"), 422, "/type", "required");
  EXPECT_EQ(code_of(post("")), "malformed_json");
  EXPECT_EQ(code_of(post("{\"a\":1,}")), "malformed_json");
  struct {
    const char* more;
    const char* pointer;
    const char* code;
  } cases[] = {
      {R"(,"kind":"x")", "/kind", "unknown_value"},
      {R"(,"id":"a.b")", "/id", "bad_id"},
      {R"(,"id":7)", "/id", "wrong_type"},
      {R"(,"producer":"a\u0000")", "/producer", "bad_text"},
      {R"(,"producer":"\ud800")", "/producer", "bad_text"},
      {R"(,"ordering_key":"")", "/ordering_key", "too_short"},
      {R"(,"occurred_at":"yesterday")", "/occurred_at", "bad_time"},
      {R"(,"content_type":"json")", "/content_type", "bad_media_type"},
      {R"(,"headers":[])", "/headers", "wrong_type"},
      {R"(,"headers":{"X-F":123})", "/headers/X-F", "wrong_type"},
      {R"(,"orderin_key":"x")", "/orderin_key", "unknown_member"},
  };
  for (const auto& [more, pointer, code] : cases)
    expect_fault(post(event_with("1", more)), 422, pointer, code);
  for (auto type : {"a..b", ".a", "a.", "a b", "a-b", ""})
    EXPECT_EQ(
        post(R"({"tenant":"acme","payload":1,"type":")"s + type + "\"}").status,
        422)
        << type;
  EXPECT_TRUE(engine_.stored().empty());
}

TEST_F(api_events, GuessesTheMemberThatWasMeant) {
  auto answer = post(event_with("1", R"(,"orderin_key":"x")"));
  auto detail =
      problem_of(answer).at("errors").at(0).at("detail").get<std::string>();
  EXPECT_NE(detail.find("did you mean ordering_key?"), detail.npos) << detail;
}

// HDR-01, HDR-02
TEST_F(api_events, RefusesHeadersThatCanNotBeSent) {
  for (auto headers : {R"({"X-A":"a\r\nX-Injected: 1"})", R"({"X-B":"a\nb"})",
                       R"({"X-C\r\nY":"1"})", R"({"X-D":"a\u0000b"})",
                       R"({"":"x"})", R"({"X E":"1"})", R"({"X-Name":"café"})",
                       R"({"host":"x"})", R"({"webhook-id":"x"})"})
    EXPECT_EQ(post(event_with("1", R"(,"headers":)"s + headers)).status, 422)
        << headers;
  EXPECT_TRUE(engine_.stored().empty());
}

// DESIGN 7: none of ours, under whatever prefix it is.
TEST_F(api_events, RefusesHeadersUnderThePrefixThatIsConfigured) {
  EXPECT_EQ(
      post(event_with("1", R"(,"headers":{"X-Shopware-Shop":"1"})")).status,
      201);
  options_.header_prefix = "X-Shopware-";
  serve(engine_.ports());
  for (auto name : {"X-Shopware-Shop", "x-shopware-sequence", "X-Postrider-A"})
    expect_fault(
        post(event_with("1", R"(,"headers":{")"s + name + R"(":"1"})")), 422,
        "/headers/"s + name, "bad_header");
  auto batch =
      call("POST", "/v1/events/batch",
           "[" + event_with("1", R"(,"headers":{"x-shopware-a":"1"})") + "]",
           as_json);
  EXPECT_EQ(nlohmann::json::parse(batch.body).at("rejected"), 1);
  expect_fault(call("POST", "/v1/endpoints",
                    R"({"tenant":"acme","types":["*"],"url":"https://h.example",
                        "headers":{"x-shopware-a":"1"}})",
                    as_json),
               422, "/headers/x-shopware-a", "bad_header");
}

// S3.18, LIFE-11
TEST_F(api_events, AnswersARepeatWithTheFirstEvent) {
  auto first = post(event_with("1"), "Idempotency-Key: k 1\r\n");
  EXPECT_EQ(first.status, 422);
  first = post(event_with("1"), "Idempotency-Key: k.1/x\r\n");
  EXPECT_EQ(first.status, 201);
  auto again = post(event_with("1"), "Idempotency-Key: k.1/x\r\n");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.find("idempotency-replayed"), "true");
  auto a = nlohmann::json::parse(first.body);
  auto b = nlohmann::json::parse(again.body);
  EXPECT_EQ(a.at("id"), b.at("id"));
  EXPECT_EQ(a.at("accepted_at"), b.at("accepted_at"));
  EXPECT_EQ(b.at("duplicate"), true);
  EXPECT_EQ(b.at("key"), "k.1/x");
  EXPECT_EQ(post(event_with("1")).status, 201);
  EXPECT_EQ(engine_.stored().size(), 2u);
}

TEST_F(api_events, RefusesAKeyThatComesWithAnotherEvent) {
  post(event_with("1", R"(,"id":"k")"));
  EXPECT_EQ(post(event_with("1", R"(,"id":"k")")).status, 200);
  auto by_id = post(event_with("2", R"(,"id":"k")"));
  EXPECT_EQ(by_id.status, 409);
  EXPECT_EQ(code_of(by_id), "event_id_conflict");
  auto by_header = post(event_with("2"), "Idempotency-Key: k\r\n");
  EXPECT_EQ(by_header.status, 422);
  EXPECT_EQ(code_of(by_header), "idempotency_key_reused");
  // One key space: the header finds the event that the id made.
  EXPECT_EQ(post(event_with("1"), "Idempotency-Key: k\r\n").status, 200);
  expect_fault(post(event_with("1", R"(,"id":"a")"), "Idempotency-Key: b\r\n"),
               422, "/id", "key_mismatch");
  EXPECT_EQ(
      post(event_with("1"), "Idempotency-Key: a\r\nIdempotency-Key: a\r\n")
          .status,
      422);
}

TEST_F(api_events, TellsWhatTheEngineRefuses) {
  expect_fault(post(R"({"tenant":"other","type":"a","payload":1})"), 422,
               "/tenant", "unknown_tenant");
  auto command = post(event_with("1", R"(,"kind":"command")"));
  EXPECT_EQ(command.status, 422);
  EXPECT_EQ(code_of(command), "not_one_receiver");
}

TEST_F(api_events, AsksToComeBackWhenNothingCanBeStored) {
  using status = api::ingest_answer::status;
  struct {
    status what;
    const char* code;
  } cases[] = {{status::overloaded, "overloaded"},
               {status::unavailable, "storage_unavailable"},
               {status::draining, "draining"}};
  for (auto [what, code] : cases) {
    engine_.refuse_with(what);
    auto answer = post(event_with("1"));
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.find("retry-after"), "1");
    EXPECT_EQ(code_of(answer), code);
  }
}

// ING-12
TEST_F(api_events, HoldsThePayloadLimit) {
  auto payload = [](std::size_t size) {
    return '"' + std::string(size - 2, 'x') + '"';
  };
  EXPECT_EQ(post(event_with(payload(100'000))).status, 201);
  auto answer = post(event_with(payload(100'001)));
  expect_fault(answer, 413, "/payload", "too_long");
  EXPECT_EQ(post(event_with(payload(600'000))).status, 413);
}

} // namespace
} // namespace postrider
