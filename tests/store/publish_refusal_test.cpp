#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

using postrider::testing::postgres_server;
using postrider::testing::tenancy;

namespace {

class PublishRefusal : public ::testing::Test, protected tenancy {
protected:
  PublishRefusal() : tenancy{postgres_server::shared().migrated_database()} {
    endpoint({"*"});
  }
  ~PublishRefusal() override {
    EXPECT_EQ(count("event"), std::to_string(kept_));
    EXPECT_EQ(count("delivery"), std::to_string(kept_));
  }

  // Arguments of a call that has to be refused for `field`.
  void refused(const std::string& arguments, const std::string& field,
               const std::string& state = "22023") {
    EXPECT_EQ(db.state_of("select postrider.publish(" + arguments + ")"), state)
        << arguments;
    EXPECT_NE(db.message().find("postrider: " + field + ": "),
              std::string::npos)
        << arguments << ": " << db.message();
  }

  int kept_ = 0;
};

} // namespace

TEST_F(PublishRefusal, NamesTheFieldAndWhatIsWrong) {
  refused("null, 'a', '{}'", "tenant");
  refused("'nobody', 'a', '{}'", "tenant", "23503");
  refused("'t', null, '{}'", "type");
  for (const auto* type :
       {"", ".", "a.", ".a", "a..b", "a b", "a-b", "a.*", "*", "ä", "a\n"})
    refused(fmt::format("'t', E'{}', '{{}}'", type), "type");
  refused("'t', repeat('a', 256), '{}'", "type");
  refused("'t', 'a', null::text", "payload");
  refused("'t', 'a', null::bytea", "payload");
  refused("'t', 'a', '{}', kind => 'query'", "kind");
  refused("'t', 'a', '{}', kind => null", "kind");
  for (const auto* key : {"''", "'a b'", "'ä'", "repeat('k', 256)", "E'a\\n'"})
    refused(fmt::format("'t', 'a', '{{}}', key => {}", key), "key");
  refused("'t', 'a', '{}', content_type => 'json'", "content_type");
  refused("'t', 'a', '{}', content_type => E'a/b\\r\\nx: y'", "content_type");
  refused("'t', 'a', '{}', content_type => null", "content_type");
  refused("'t', 'a', '{}', traceparent => '00-1-2-3'", "traceparent");
  for (const auto* field :
       {"ordering_key", "correlation_id", "producer", "schema_version"})
    for (const auto* value : {"''", "repeat('x', 256)", "E'a\\nb'"})
      refused(fmt::format("'t', 'a', '{{}}', {} => {}", field, value), field);
}

TEST_F(PublishRefusal, ChecksHeadersAsTheyWouldGoOut) {
  for (const auto* headers :
       {R"([])", R"("x")", R"({"": "a"})", R"({"a b": "c"})",
        R"({"a": "b\r\nc: d"})", R"({"a": "\u00e4"})", R"({"a": 1})",
        R"({"a": null})", R"({"Webhook-Id": "x"})", R"({"HOST": "x"})",
        R"({"Content-Length": "1"})", R"({"X-Postrider-Attempt": "1"})",
        R"({"traceparent": "x"})", R"({"X-A": "1", "x-a": "2"})",
        R"({"b": "1", "a-B": "1", "A-b": "1"})"})
    refused(fmt::format("'t', 'a', '{{}}', headers => '{}'", headers),
            "headers");
  refused("'t', 'a', '{}', headers => jsonb_build_object('a', "
          "repeat('x', 4097))",
          "headers");
}

TEST_F(PublishRefusal, BoundsThePayloadAtOneMebibyte) {
  refused("'t', 'a', repeat('x', 1048577), content_type => 'text/plain'",
          "payload");
  db("select postrider.publish('t', 'a', repeat('x', 1048576), "
     "content_type => 'text/plain')");
  kept_ = 1;
}

// JSON-05
TEST_F(PublishRefusal, TakesOnlyUtf8ForJson) {
  for (const auto* hex : {"7b2273223a22c328227d", "7b2273223a22eda0bd227d",
                          "7b2273223a22c080227d", "7b2273223a22f4908080227d",
                          "fffe7b007d00", "7b2273223a2200227d"})
    refused(fmt::format("'t', 'a', '\\x{}'::bytea", hex), "payload");
}

TEST_F(PublishRefusal, TakesOnlyJsonForJson) {
  for (const auto* payload :
       {"", " ", "{", "{}{}", "{\"a\":}", "NaN", "[1,]", "{a:1}", "01"})
    refused(fmt::format("'t', 'a', '{}'", payload), "payload");
  refused("'t', 'a', '{', content_type => 'application/cloudevents+json; "
          "charset=utf-8'",
          "payload");
  // JSON-10
  refused("'t', 'a', repeat('[', 100000) || repeat(']', 100000)", "payload");
  db("select postrider.publish('t', 'a', repeat('[', 64) || "
     "repeat(']', 64))");
  db("select postrider.publish('t', 'a', '{', content_type => 'text/json5')");
  kept_ = 2;
}

// JSON-01, -02, -04, -07, -13, -14, -16
TEST_F(PublishRefusal, KeepsTheBytesOfEveryOtherPayload) {
  const std::string payloads[] = {
      R"({"s":"a\u0000b"})",
      R"({"s":"C:\\u0000","t":"\\\u0000","u":"\\\\u0000"})",
      R"({"s":"\ud83d"})",
      R"({"s":"\udc00\ud83d"})",
      R"({"k\ud800":1})",
      R"({"a":1e2,"b":-0,"c":1e400,"d":1e200000,"e":0.10000000000000000555})",
      R"("{\"a\":1}")",
      "null",
      "0",
      "{\"a\": 1}\r\n",
      R"({"id":1,"id":2})",
      "\"\xc3\xa4\xf0\x9f\x98\x80\""};
  for (const auto& payload : payloads) {
    const auto bytes = fmt::format("convert_to($p${}$p$, 'UTF8')", payload);
    for (const auto& given : {fmt::format("$p${}$p$::text", payload), bytes}) {
      const auto id = db.one("select event from postrider.publish('t', 'a', "
                             + given + ")");
      EXPECT_EQ(db.one("select payload = " + bytes
                       + " from postrider.event where id = '" + id + "'"),
                "t")
          << payload;
    }
  }
  kept_ = static_cast<int>(2 * std::size(payloads));
}

TEST_F(PublishRefusal, KeepsAnyBytesThatDoNotCallThemselvesJson) {
  db("select postrider.publish('t', 'a', '\\x00ff0a0d'::bytea, "
     "content_type => 'application/octet-stream')");
  EXPECT_EQ(db.one("select payload from postrider.event"), "\\x00ff0a0d");
  kept_ = 1;
}
