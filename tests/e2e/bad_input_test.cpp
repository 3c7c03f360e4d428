#include "tests/e2e/platform.hpp"

#include "core/base64.hpp"
#include "core/signature.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pqxx/pqxx>

#include <chrono>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// A running node with one tenant and one endpoint. Whatever a test sends, at
/// the end the node is healthy, nothing was stored, and a good event goes
/// through.
class BadInput : public ::testing::Test {
protected:
  BadInput() {
    node_ = &here_.start();
    here_.tenant();
    endpoint_ = here_.endpoint(shop_.url());
    before_ = stored();
  }

  void TearDown() override {
    EXPECT_EQ(stored(), before_);
    EXPECT_EQ(here_.call(*node_, "READY", "/readyz").status, 200);
    EXPECT_LT(node_->wait(0ms), 0) << "it still runs";
    here_.send("good.one", "{\"still\":\"here\"}");
    ASSERT_TRUE(shop_.wait_for(arrived_ + 1));
    EXPECT_EQ(shop_.arrivals().back().body, "{\"still\":\"here\"}");
    EXPECT_EQ(node_->log().find("error"), std::string::npos) << node_->log();
  }

  std::string stored() const {
    return here_.sql(
        "select (select count(*) from postrider.event) || ' ' || "
        "(select count(*) from postrider.delivery) || ' ' || "
        "(select count(*) from postrider.endpoint) || ' ' || "
        "(select coalesce(max(version), 0) from postrider.endpoint) || ' ' || "
        "(select count(*) from postrider.event_key) || ' ' || "
        "(select count(*) from postrider.tenant)");
  }

  /// Refused, by a problem document that points to `pointer`.
  void refused(const raw_answer& got, std::initializer_list<int> statuses,
               const std::string& pointer = "") {
    SCOPED_TRACE(got.body);
    EXPECT_NE(std::find(statuses.begin(), statuses.end(), got.status),
              statuses.end())
        << got.status;
    EXPECT_EQ(got.find("content-type"), "application/problem+json");
    const auto body = nlohmann::json::parse(got.body, nullptr, false);
    ASSERT_TRUE(body.is_object()) << "valid UTF-8 and JSON";
    EXPECT_EQ(body.value("status", 0), got.status);
    EXPECT_FALSE(body.value("code", "").empty());
    EXPECT_FALSE(body.value("detail", "").empty());
    if (pointer.empty())
      return;
    bool named = false;
    for (const auto& one : body.value("errors", nlohmann::json::array())) {
      named |= one.value("pointer", "-") == pointer;
      EXPECT_FALSE(one.value("detail", "").empty());
    }
    EXPECT_TRUE(named) << pointer;
  }

  raw_answer post(std::string_view body) {
    return here_.call("POST", "/v1/events", body);
  }

  receiver shop_{[](const arrival&) { return answer(204); }};
  platform here_;
  node_process* node_ = nullptr;
  std::string endpoint_;
  std::string before_;
  std::size_t arrived_ = 0;
};

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i)
    out += text;
  return out;
}

// JSON-10, JSON-13
TEST_F(BadInput, TextThatIsNoJsonIsRefusedWithThePlaceOfTheFault) {
  for (const std::string& body : std::vector<std::string>{
           "{", "nul", "{\"a\":}", "{'a':1}", "{\"a\":1}x", "\xef\xbb\xbf{}",
           "{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":01}",
           "{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":{\"a\":1,}}",
           "{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":\"\x01\"}",
           repeated("[", 100000) + repeated("]", 100000),
           repeated("{\"a\":", 40000)}) {
    const auto got = post(body);
    refused(got, {400});
    EXPECT_NE(got.body.find("byte"), std::string::npos) << got.body;
  }
  refused(post(""), {400, 411, 422});
}

// JSON-05
TEST_F(BadInput, WhatIsNotUtf8IsRefusedByItsOffset) {
  for (const std::string& bad :
       std::vector<std::string>{"\xc3\x28", "\xed\xa0\xbd", "\xc0\x80",
                                "\xf4\x90\x80\x80", "\xff", "\xe2\x82"}) {
    refused(post("{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":{\"s\":\""
                 + bad + "\"}}"),
            {400});
    refused(post("{\"tenant\":\"acme\",\"type\":\"a.b\",\"producer\":\"" + bad
                 + "\",\"payload\":1}"),
            {400});
  }
  refused(post(std::string("\xff\xfe\x7b\x00\x7d\x00", 6)), {400});
}

// JSON-08, JSON-13, HDR-01, HDR-02: every member of the envelope.
TEST_F(BadInput, EachMemberOfAnEventIsNamedWhenItIsWrong) {
  const auto with = [](const std::string& more) {
    return "{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":{}," + more + "}";
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{\"type\":\"a.b\",\"payload\":{}}", "/tenant"},
      {"{\"tenant\":\"acme\",\"payload\":{}}", "/type"},
      {"{\"tenant\":\"acme\",\"type\":\"a.b\"}", "/payload"},
      {"{\"tenant\":null,\"type\":\"a.b\",\"payload\":{}}", "/tenant"},
      {"{\"tenant\":7,\"type\":\"a.b\",\"payload\":{}}", "/tenant"},
      {"{\"tenant\":\"a b\",\"type\":\"a.b\",\"payload\":{}}", "/tenant"},
      {"{\"tenant\":\"nobody\",\"type\":\"a.b\",\"payload\":{}}", "/tenant"},
      {"{\"tenant\":\"acme\",\"type\":\"a..b\",\"payload\":{}}", "/type"},
      {"{\"tenant\":\"acme\",\"type\":\"a\\u0000b\",\"payload\":{}}", "/type"},
      {"{\"tenant\":\"acme\",\"type\":{},\"payload\":{}}", "/type"},
      {"{\"tenant\":\"acme\",\"type\":\"" + std::string(256, 'a')
           + "\",\"payload\":{}}",
       "/type"},
      {with("\"payload_base64\":\"AA==\""), "/payload"},
      {"{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload_base64\":\"A\"}",
       "/payload_base64"},
      {with("\"kind\":\"letter\""), "/kind"},
      {with("\"kind\":1"), "/kind"},
      {with("\"id\":\"a.b\""), "/id"},
      {with("\"ordering_key\":\"\""), "/ordering_key"},
      {with("\"ordering_key\":\"a\\u0000\""), "/ordering_key"},
      {with("\"ordering_key\":[]"), "/ordering_key"},
      {with("\"correlation_id\":\"" + std::string(300, 'c') + "\""),
       "/correlation_id"},
      {with("\"producer\":\"\\ud83d\""), "/producer"},
      {with("\"schema_version\":2"), "/schema_version"},
      {with("\"content_type\":\"json\""), "/content_type"},
      {with("\"content_type\":\"a/b\\r\\nX: 1\""), "/content_type"},
      {with("\"occurred_at\":\"yesterday\""), "/occurred_at"},
      {with("\"occurred_at\":\"2026-02-30T00:00:00Z\""), "/occurred_at"},
      {with("\"occurred_at\":1e400"), "/occurred_at"},
      {with("\"headers\":[]"), "/headers"},
      {with("\"headers\":{\"X-A\":\"a\\r\\nX-Injected: 1\"}"), "/headers/X-A"},
      {with("\"headers\":{\"X-B\":\"a\\nb\"}"), "/headers/X-B"},
      {with("\"headers\":{\"X-C\\r\\nY\":\"1\"}"), "/headers/X-C\r\nY"},
      {with("\"headers\":{\"X-D\":\"a\\u0000b\"}"), "/headers/X-D"},
      {with("\"headers\":{\"\":\"x\"}"), "/headers/"},
      {with("\"headers\":{\"X E\":\"1\"}"), "/headers/X E"},
      {with("\"headers\":{\"X-F\":123}"), "/headers/X-F"},
      {with("\"headers\":{\"X-G\":\"Mari\\u0107\"}"), "/headers/X-G"},
      {with("\"headers\":{\"webhook-id\":\"1\"}"), "/headers/webhook-id"},
      {with("\"headers\":{\"Content-Length\":\"1\"}"),
       "/headers/Content-Length"},
      {with("\"partition\":7"), "/partition"},
      {with("\"type\":\"admin.c\""), "/type"},
      {with("\"ty\\u0070e\":\"admin.c\""), "/type"},
      {with("\"kind\":\"command\",\"payload\":{}"), "/payload"},
  };
  for (const auto& [body, pointer] : cases) {
    SCOPED_TRACE(body);
    refused(post(body), {400, 422}, pointer);
  }
  for (const auto* body : {"null", "[]", "0", "\"x\"", "true"})
    refused(post(body), {400, 422});
}

TEST_F(BadInput, AKeyThatIsWrongOrUsedForAnotherEventIsRefused) {
  const std::string good =
      "{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":{}}";
  for (const auto& key : {std::string{"a b"}, std::string(256, 'k')})
    refused(here_.call("POST", "/v1/events", good, {{"Idempotency-Key", key}}),
            {400, 422});
  const auto first =
      here_.call("POST", "/v1/events", good, {{"Idempotency-Key", "k-1"}});
  ASSERT_EQ(first.status, 201);
  ASSERT_TRUE(here_.settled());
  before_ = stored();
  arrived_ = shop_.arrivals().size();
  refused(here_.call("POST", "/v1/events",
                     "{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":1}",
                     {{"Idempotency-Key", "k-1"}}),
          {409, 422});
  const auto repeat =
      here_.call("POST", "/v1/events", good, {{"Idempotency-Key", "k-1"}});
  EXPECT_EQ(repeat.status, 200);
  EXPECT_EQ(member(repeat.body, "id"), member(first.body, "id"));
}

TEST_F(BadInput, ACommandWithoutExactlyOneReceiverIsRefused) {
  here_.endpoint(shop_.url("/second"), "two.of");
  before_ = stored();
  refused(post("{\"tenant\":\"acme\",\"type\":\"two.of\",\"kind\":\"command\","
               "\"payload\":{}}"),
          {422});
  here_.tenant("lonely");
  before_ = stored();
  refused(post("{\"tenant\":\"lonely\",\"type\":\"a.b\",\"kind\":\"command\","
               "\"payload\":{}}"),
          {422});
}

// ING-12
TEST_F(BadInput, WhatIsTooLargeIsRefusedWith413) {
  const std::string large(300 << 10, 'a');
  refused(post("{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":\"" + large
               + "\"}"),
          {413}, "/payload");
  refused(post("{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload_base64\":\""
               + encode_base64(large) + "\"}"),
          {413}, "/payload_base64");
  refused(post("{\"tenant\":\"acme\",\"type\":\"a.b\",\"payload\":\""
               + std::string(5 << 20, 'a') + "\"}"),
          {413});
  std::string batch = "[1";
  for (int i = 0; i < 1000; ++i)
    batch += ",1";
  refused(here_.call("POST", "/v1/events/batch", batch + "]"), {400, 413, 422});
}

TEST_F(BadInput, EachBadItemOfABatchIsNamedAndStoresNothing) {
  const auto got = here_.call("POST", "/v1/events/batch",
                              R"([{"tenant":"acme","type":"a b","payload":1},7,
          {"tenant":"nobody","type":"a.b","payload":1},
          {"tenant":"acme","type":"a.b","payload":1,"headers":{"A":"\r\n"}}])");
  EXPECT_EQ(got.status, 200) << got.body;
  for (const auto* pointer : {"/type", "/tenant", "/headers/A"})
    EXPECT_NE(got.body.find(pointer), std::string::npos) << got.body;
  refused(here_.call("POST", "/v1/events/batch", "[{]"), {400});
  refused(here_.call("POST", "/v1/events/batch", "{}"), {400, 422});
}

// ING-09, URL-05, URL-06, URL-08, SIG-02, HDR-01
TEST_F(BadInput, EachMemberOfAnEndpointIsNamedWhenItIsWrong) {
  const auto with = [](const std::string& more) {
    return "{\"tenant\":\"acme\",\"url\":\"https://example.com/\",\"types\":"
           "[\"*\"],"
           + more + "}";
  };
  std::vector<std::pair<std::string, std::string>> cases{
      {"{\"url\":\"https://example.com/\",\"types\":[\"*\"]}", "/tenant"},
      {"{\"tenant\":\"nobody\",\"url\":\"https://example.com/\",\"types\":"
       "[\"*\"]}",
       "/tenant"},
      {"{\"tenant\":\"acme\",\"types\":[\"*\"]}", "/url"},
      {"{\"tenant\":\"acme\",\"url\":\"https://example.com/\"}", "/types"},
      {with("\"uid\":\"a b\""), "/uid"},
      {with("\"ordering\":\"lifo\""), "/ordering"},
      {with("\"ordering_key\":\"x\""), "/ordering_key"},
      {with("\"retry\":\"sometimes\""), "/retry"},
      {with("\"retry\":\"5s -3s\""), "/retry"},
      {with("\"retry\":[\"5s\",6]"), "/retry/1"},
      {with("\"max_in_flight\":0"), "/max_in_flight"},
      {with("\"max_in_flight\":1001"), "/max_in_flight"},
      {with("\"max_in_flight\":99999999999999999999"), "/max_in_flight"},
      {with("\"max_in_flight\":1.5"), "/max_in_flight"},
      {with("\"max_in_flight\":\"5\""), "/max_in_flight"},
      {with("\"timeout_seconds\":61"), "/timeout_seconds"},
      {with("\"timeout_seconds\":1e400"), "/timeout_seconds"},
      {with("\"timeout_seconds\":-1"), "/timeout_seconds"},
      {with("\"connect_timeout_seconds\":0"), "/connect_timeout_seconds"},
      {with("\"secret\":\"whsec_\""), "/secret"},
      {with("\"secret\":\"whsec_AA==\""), "/secret"},
      {with("\"secret\":\"hush\""), "/secret"},
      {with("\"description\":\"\\u0000\""), "/description"},
      {with("\"headers\":{\"X-A\":\"a\\r\\nX-Injected: 1\"}"), "/headers/X-A"},
      {with("\"headers\":{\"X-Postrider-Attempt\":\"9\"}"),
       "/headers/X-Postrider-Attempt"},
      {with("\"colour\":5"), "/colour"},
  };
  for (const auto* types : {"[]", "[\"a b\"]", "[5]", "\"*\"", "[\"*.a\"]"})
    cases.emplace_back(
        fmt::format("{{\"tenant\":\"acme\",\"url\":\"https://example.com/\","
                    "\"types\":{}}}",
                    types),
        std::string{types} == "[]" || types[0] == '"' ? "/types" : "/types/0");
  for (const auto* url :
       {"", "x", "ftp://example.com/", "https://",
        "https://user:pw@example.com/", "http://10.0.0.1/", "http://[::1]/",
        "http://169.254.169.254/", "http://[::ffff:10.0.0.1]/",
        "http://2130706433/", "http://0x7f000001/", "http://10.1/",
        "https://example.com:99999/", "https://example..com/",
        "https://exa mple.com/", "https://example.com/\\u0000",
        "https://example.com/\\r\\nX: 1", "https://example.com:25/"})
    cases.emplace_back(
        fmt::format("{{\"tenant\":\"acme\",\"url\":\"{}\",\"types\":[\"*\"]}}",
                    url),
        "/url");
  for (const auto& [body, pointer] : cases) {
    SCOPED_TRACE(body);
    refused(here_.call("POST", "/v1/endpoints", body), {400, 422}, pointer);
  }
}

TEST_F(BadInput, ABadChangeOfAnEndpointChangesNothing) {
  const auto patch = [&](const std::string& body) {
    return here_.call("PATCH", "/v1/endpoints/" + endpoint_, body);
  };
  refused(patch("{\"url\":\"http://10.0.0.1/\"}"), {400, 422}, "/url");
  refused(patch("{\"url\":null}"), {400, 422}, "/url");
  refused(patch("{\"tenant\":\"b\"}"), {400, 422}, "/tenant");
  refused(patch("{\"headers\":{\"X-A\":\"\\n\"}}"), {400, 422}, "/headers/X-A");
  refused(patch("{\"max_in_flight\":-1}"), {400, 422}, "/max_in_flight");
  refused(patch("{\"colour\":\"red\"}"), {400, 422}, "/colour");
  refused(patch("[]"), {400, 422});
  refused(here_.call("PATCH", "/v1/endpoints/ep_0", "{}"), {404});
  refused(here_.call("PUT", "/v1/tenants/a%20b", "{}"), {400, 404, 422});
  refused(here_.call("PUT", "/v1/tenants/b", "{\"name\":7}"), {400, 422},
          "/name");
}

// DESIGN 3: `publish` raises, and so rolls the producer back.
TEST_F(BadInput, PublishRaisesSaysWhatIsWrongAndRollsTheProducerBack) {
  here_.sql("create table if not exists producer_work (n int)");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"'nobody', 'a.b', '{}'::text", "tenant"},
      {"'acme', 'a b', '{}'::text", "type"},
      {"'acme', 'a.b', '{'::text", "payload"},
      {"'acme', 'a.b', '\\xff'::bytea", "payload"},
      {"'acme', 'a.b', repeat('a', 2000000)::bytea, content_type => "
       "'text/plain'",
       "payload"},
      {"'acme', 'a.b', '{}'::text, headers => '{\"X-A\": \"a\\r\\nb\"}'",
       "headers"},
      {"'acme', 'a.b', '{}'::text, headers => '{\"Expect\": \"x\"}'",
       "headers"},
      {"'acme', 'a.b', '{}'::text, kind => 'letter'", "kind"},
      {"'acme', 'a.b', '{}'::text, key => 'a b'", "key"},
      {"'acme', 'none.wants', '{}'::text, kind => 'command'", "receiver"},
  };
  here_.call("PATCH", "/v1/endpoints/" + endpoint_,
             "{\"types\":[\"a.b\",\"good.one\"]}");
  before_ = stored();
  for (const auto& [arguments, field] : cases) {
    SCOPED_TRACE(arguments);
    pqxx::connection link{here_.url()};
    pqxx::work work{link};
    work.exec("insert into producer_work values (1)");
    try {
      work.exec("select postrider.publish(" + arguments + ")");
      ADD_FAILURE() << "it was taken";
    } catch (const pqxx::sql_error& refusal) {
      EXPECT_NE(std::string{refusal.what()}.find(field), std::string::npos)
          << refusal.what();
    }
    EXPECT_THROW(work.commit(), std::exception);
  }
  EXPECT_EQ(here_.sql("select count(*) from producer_work"), "0");
}

} // namespace
} // namespace postrider::testing
