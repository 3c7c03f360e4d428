#include "app/api/endpoint_body.hpp"
#include "core/public_id.hpp"
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

// URL-06, URL-08: whatever the spelling, at create and at a change.
TEST_F(api_endpoints, RefusesEverySpellingOfAnInnerAddress) {
  for (auto url :
       {"http://[::1]/", "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
        "http://[fd12:3456:789a::1]/", "http://[fe80::1%25eth0]/",
        "http://[::]/", "http://[::169.254.169.254]/", "http://2130706433/",
        "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/",
        "http://0x7f.1/", "http://127.0.0.1./", "http://0/",
        "http://127.0.0.1.",
        "http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/",
        "http://127\xe3\x80\x82"
        "0\xe3\x80\x82"
        "0\xe3\x80\x82"
        "1/"}) {
    auto body = R"({"url":")" + std::string{url} + "\"}";
    for (const auto& answer :
         {with_url(url),
          call("PATCH", "/v1/endpoints/" + endpoint_public_id({}), body,
               as_json)}) {
      EXPECT_EQ(answer.status, 422) << url << answer.body;
      EXPECT_EQ(problem_of(answer).at("errors").at(0).at("pointer"), "/url");
    }
  }
}

// ING-09: a name without a dot is of some network that nobody has allowed.
TEST_F(api_endpoints, TakesANameOfTheInsideOnlyWhereSomethingInsideIsAllowed) {
  const auto inside = {"https://intranet/hook", "http://localhost:8080/",
                       "http://a.localhost/", "http://LOCALHOST./"};
  for (auto url : inside)
    expect_fault(with_url(url), 422, "/url", "address_blocked");
  options_.guard.allow = {parse_network("10.1.0.0/16").value()};
  serve(engine_.ports());
  for (auto url : inside)
    EXPECT_EQ(with_url(url).status, 503) << url;
}

// URL-03, URL-05, URL-02: refused when it is made or never.
TEST_F(api_endpoints, TakesOddNamesAndPathsAsTheyAreOrRefusesThem) {
  for (auto url :
       {"https://my_hook.example.com/in", "https://hook.example.com./in",
        "https://hook.example.com/a%3Ab/%E2%82%AC?x=%2F&y=a+b"})
    EXPECT_EQ(with_url(url).status, 503) << url;
  for (auto url :
       {"https://hook.example.com../in", "https://hook.example.com/100%/x",
        "https://hook.example.com/%zz"})
    expect_fault(with_url(url), 422, "/url", "bad_url");
}

// SIG-02
TEST_F(api_endpoints, TakesSecretsOf24To64BytesOnly) {
  const auto with_secret = [&](std::string_view secret) {
    return post(R"("url":"https://h.example/","secret":")"s.append(secret)
                + "\"");
  };
  for (auto secret :
       {"whsec_", "whsec_!!!!", "whsec_AA==", "",
        "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        "AAAAAAAAAAAAAAAAAAAAAAAAA="})
    EXPECT_EQ(with_secret(secret).status, 422) << secret;
  expect_fault(with_secret("whsec_AA=="), 422, "/secret", "bad_secret");
  for (auto secret : {"whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGQ==",
                      "whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGQ"})
    EXPECT_EQ(with_secret(secret).status, 503) << secret;
}

// HDR-04: the mask that stands for a value is no value.
TEST_F(api_endpoints, TakesNoMaskForAValue) {
  expect_fault(post(R"("url":"https://h.example/",
                       "headers":{"authorization":"********"})"),
               422, "/headers/authorization", "bad_header");
  EXPECT_EQ(
      post(R"("url":"https://h.example/","headers":{"X-A":"********"})").status,
      503);
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
  EXPECT_EQ(patch.fields.timeout, std::chrono::seconds{0}); // the node's
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
