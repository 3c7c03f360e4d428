#include "app/api/endpoint_body.hpp"
#include "tests/app/api/fixture.hpp"

namespace postrider {
namespace {

using namespace std::string_literals;

class api_endpoints : public api_test {
protected:
  testing::raw_answer post(const std::string& members) {
    return call("POST", "/v1/endpoints",
                R"({"tenant":"acme","types":["*"],)" + members + "}", as_json);
  }

  testing::raw_answer with_url(const std::string& url) {
    return post(R"("url":")" + url + "\"");
  }
};

// ING-09, URL-02, URL-05, URL-08, J-07: what passes ends at the database,
// which is away here.
TEST_F(api_endpoints, JudgesTheUrl) {
  for (auto url : {"https://hook.example.com", "https://hook.example.com?x=1",
                   "http://hook.example.com:8443/a"})
    EXPECT_EQ(with_url(url).status, 503) << url;
  for (auto url :
       {"ftp://hook.example.com", "https://hook.example.com/#frag",
        "https://user:pw@hook.example.com/in", "https://127.1/", "hook",
        "https://0x7f000001/", "https://hook.example.com:99999/"})
    expect_fault(with_url(url), 422, "/url", "bad_url");
  for (auto url : {"http://127.0.0.1/", "http://[::1]/", "http://10.0.0.5/x",
                   "http://169.254.169.254/", "http://[::ffff:10.0.0.1]/",
                   "http://hook.example.com:22/"})
    expect_fault(with_url(url), 422, "/url", "address_blocked");
}

TEST_F(api_endpoints, JudgesEveryMember) {
  struct {
    const char* members;
    const char* pointer;
    const char* code;
  } cases[] = {
      {R"("uid":"a.b")", "/uid", "bad_id"},
      {R"("ordering":"strict")", "/ordering", "unknown_value"},
      {R"("ordering_key":"x")", "/ordering_key", "unknown_value"},
      {R"("retry":"soon")", "/retry", "bad_retry"},
      {R"("retry":["5s","soon"])", "/retry/1", "bad_wait"},
      {R"("retry":[])", "/retry", "bad_retry"},
      {R"("retry":5)", "/retry", "wrong_type"},
      {R"("max_in_flight":0)", "/max_in_flight", "out_of_range"},
      {R"("max_in_flight":1.5)", "/max_in_flight", "out_of_range"},
      {R"("max_in_flight":99999999999999999999)", "/max_in_flight",
       "out_of_range"},
      {R"("max_in_flight":"8")", "/max_in_flight", "wrong_type"},
      {R"("timeout_seconds":0.5)", "/timeout_seconds", "out_of_range"},
      {R"("timeout_seconds":61)", "/timeout_seconds", "out_of_range"},
      {R"("connect_timeout_seconds":1e400)", "/connect_timeout_seconds",
       "out_of_range"},
      {R"("secret":"whsec_c2hvcnQ=")", "/secret", "bad_secret"},
      {R"("headers":{"X-A":"a\r\nb"})", "/headers/X-A", "bad_header"},
      {R"("timout_seconds":5)", "/timout_seconds", "unknown_member"},
  };
  for (const auto& [members, pointer, code] : cases)
    expect_fault(post(R"("url":"https://h.example/",)"s + members), 422,
                 pointer, code);
  expect_fault(post(R"("uid":"a")"), 422, "/url", "required");
  for (auto types :
       {"[]", "[\"a.*.b\"]", "[\"*.a\"]", "[\"\"]", "[1]", "\"*\""})
    EXPECT_EQ(call("POST", "/v1/endpoints",
                   R"({"tenant":"acme","url":"https://h.example","types":)"s
                       + types + "}",
                   as_json)
                  .status,
              422)
        << types;
}

TEST_F(api_endpoints, CountsEveryFaultAndListsSome) {
  std::string members = R"("url":"https://h.example/")";
  for (int i = 0; i < 1000; ++i)
    members += ",\"unknown" + std::to_string(i) + "\":1";
  auto body = problem_of(post(members));
  EXPECT_EQ(body.at("errors").size(), 20u);
  EXPECT_EQ(body.at("detail"), "1000 things are wrong");
}

api::endpoint_patch patch_of(std::string_view text, api::faults& found) {
  auto value = api::read_json(text);
  return api::read_endpoint_patch(std::get<api::json_value>(value), {}, found);
}

// RFC 7396
TEST(endpoint_patch, TurnsNullIntoTheDefault) {
  api::faults found;
  auto patch = patch_of(R"({"retry":null,"description":null,"headers":null,
                            "timeout_seconds":null,"max_in_flight":4})",
                        found);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(patch.fields.retry, "default");
  EXPECT_EQ(patch.fields.description, "");
  EXPECT_EQ(patch.fields.headers, std::vector<header>{});
  EXPECT_EQ(patch.fields.timeout, std::chrono::seconds{15});
  EXPECT_EQ(patch.fields.max_in_flight, 4);
  EXPECT_FALSE(patch.fields.url);
  EXPECT_FALSE(patch.fields.ordering);
}

TEST(endpoint_patch, MergesHeadersOneByOne) {
  api::faults found;
  auto patch =
      patch_of(R"({"headers":{"x-a":null,"X-B":"2","X-C":"3"}})", found);
  EXPECT_TRUE(found.empty());
  EXPECT_FALSE(patch.fields.headers);
  EXPECT_EQ(api::merged({{"X-A", "1"}, {"x-b", "1"}, {"X-D", "1"}}, patch),
            (std::vector<header>{{"X-D", "1"}, {"X-B", "2"}, {"X-C", "3"}}));
}

TEST(endpoint_patch, LeavesAloneWhatMakesTheEndpoint) {
  for (auto text : {R"({"tenant":"b"})", R"({"uid":"b"})", R"({"secret":null})",
                    R"({"url":null})", R"({"types":null})", "[]"}) {
    api::faults found;
    patch_of(text, found);
    EXPECT_FALSE(found.empty()) << text;
  }
}

} // namespace
} // namespace postrider
