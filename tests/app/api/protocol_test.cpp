#include "tests/app/api/fixture.hpp"

namespace postrider {
namespace {

using namespace std::string_literals;

class api_protocol : public api_test {
protected:
  testing::raw_answer anonymous(const std::string& headers,
                                const std::string& target = "/v1/deliveries") {
    return send("GET " + target + " HTTP/1.1\r\nHost: h\r\n" + headers
                + "\r\n");
  }
};

// K-14, L
TEST_F(api_protocol, TakesTheKeyFromItsOnePlaceOnly) {
  for (auto headers :
       {"", "Authorization: Bearer wrong\r\n", "Authorization: pr_key\r\n",
        "Authorization: Basic cHJfa2V5\r\n", "Authorization: Bearer\r\n",
        "Authorization: Bearer pr_key x\r\n", "X-Api-Key: pr_key\r\n",
        "Authorization: Bearer pr_key\r\nAuthorization: Bearer pr_key\r\n"}) {
    auto answer = anonymous(headers);
    EXPECT_EQ(answer.status, 401) << headers;
    EXPECT_EQ(code_of(answer), "unauthenticated");
    EXPECT_EQ(answer.find("www-authenticate"), "Bearer realm=\"postrider\"");
  }
  EXPECT_EQ(anonymous("", "/v1/deliveries?key=pr_key").status, 401);
  EXPECT_EQ(anonymous("authorization: bearer pr_key\r\n").status, 503);
}

TEST_F(api_protocol, RefusesEveryCallWithoutAConfiguredKey) {
  net::http_server_options options;
  options.refuse = api::refuse;
  net::http_server open{options, api::make_api({}, engine_.ports())};
  open.start();
  auto answer = testing::exchange(open.port(),
                                  "GET /v1/deliveries HTTP/1.1\r\nHost: h\r\n"
                                  "Authorization: Bearer \r\n\r\n");
  EXPECT_EQ(answer->status, 401);
}

TEST_F(api_protocol, NamesTheRequest) {
  auto made = call("GET", "/nowhere").find("x-request-id");
  EXPECT_EQ(made.substr(0, 4), "req_");
  EXPECT_NE(made, call("GET", "/nowhere").find("x-request-id"));
  EXPECT_EQ(call("GET", "/nowhere", "", "X-Request-Id: mine-1.2\r\n")
                .find("x-request-id"),
            "mine-1.2");
  for (auto odd : {"a b", "\xc3\xa9", "<script>", "a\"b"})
    EXPECT_EQ(call("GET", "/nowhere", "", "X-Request-Id: "s + odd + "\r\n")
                  .find("x-request-id")
                  .substr(0, 4),
              "req_");
  EXPECT_EQ(problem_of(call("GET", "/nowhere?x=1")).at("instance"), "/nowhere");
}

// K-09
TEST_F(api_protocol, KnowsItsPathsExactly) {
  for (auto path :
       {"/", "/v1", "/v1/events/", "/v1//events", "/v1/../v1/events",
        "/V1/events", "/v1/events%2f", "/v1/events/a/b", "/v1/%65vents",
        "/v1/deliveries/a/b/retry", "/v1/events/%00"})
    EXPECT_EQ(call("GET", path).status, 404) << path;
}

// K-10
TEST_F(api_protocol, SaysWhichMethodsAreThere) {
  auto answer = call("DELETE", "/v1/events");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.find("allow"), "POST, GET");
  EXPECT_EQ(call("POST", "/v1/endpoints/x", "{}").find("allow"),
            "GET, PATCH, DELETE");
  EXPECT_EQ(call("TRACE", "/v1/events").status, 405);
  EXPECT_EQ(call("HEAD", "/v1/deliveries").status, 503);
}

TEST_F(api_protocol, WantsJsonAndAnswersJson) {
  for (auto type : {"text/plain", "application/x-www-form-urlencoded",
                    "application/json; charset=latin1", "multipart/form-data"})
    EXPECT_EQ(code_of(call("POST", "/v1/events", event_with("1"),
                           "Content-Type: "s + type + "\r\n")),
              "unsupported_media_type");
  EXPECT_EQ(call("POST", "/v1/events", event_with("1"),
                 "Content-Type: Application/JSON; charset=UTF-8\r\n")
                .status,
            201);
  EXPECT_EQ(call("POST", "/v1/events", event_with("1")).status, 201);
  EXPECT_EQ(code_of(call("GET", "/v1/deliveries", "", "Accept: text/html\r\n")),
            "not_acceptable");
  EXPECT_EQ(
      call("GET", "/v1/deliveries", "", "Accept: text/html, */*\r\n").status,
      503);
}

TEST_F(api_protocol, GivesFramingFaultsTheSameForm) {
  auto answer = send("GET / HTTP/1.1\r\nBad Header: x\r\n\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(code_of(answer), "malformed_request");
  answer = send("POST /v1/events HTTP/1.1\r\nHost: h\r\n"
                "Content-Length: 600001\r\n\r\n");
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(code_of(answer), "payload_too_large");
}

// ADM-01: a malformed cursor is 400, never the first page.
TEST_F(api_protocol, JudgesTheQuery) {
  struct {
    const char* target;
    const char* code;
  } cases[] = {
      {"/v1/deliveries?tenat=x", "bad_query"},
      {"/v1/deliveries?limit=251", "bad_query"},
      {"/v1/deliveries?limit=0", "bad_query"},
      {"/v1/deliveries?limit=1e1", "bad_query"},
      {"/v1/deliveries?limit=1&limit=2", "bad_query"},
      {"/v1/deliveries?tenant=", "bad_query"},
      {"/v1/deliveries?tenant=%zz", "bad_query"},
      {"/v1/deliveries?tenant=%ff", "bad_query"},
      {"/v1/deliveries?tenant=%00", "bad_query"},
      {"/v1/deliveries?endpoint=x", "bad_query"},
      {"/v1/deliveries?event=evt_x", "bad_query"},
      {"/v1/deliveries?state=done", "bad_query"},
      {"/v1/deliveries?cursor=x", "bad_cursor"},
      {"/v1/endpoints?cursor=AAAAAAAAAAAAAAAA", "bad_cursor"},
      {"/v1/endpoints?state=x", "bad_query"},
  };
  for (auto [target, code] : cases) {
    auto answer = call("GET", target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_EQ(code_of(answer), code) << target;
  }
  auto detail = problem_of(call("GET", "/v1/deliveries?tenat=x")).at("detail");
  EXPECT_NE(detail.get<std::string>().find("did you mean tenant?"),
            std::string::npos);
}

TEST_F(api_protocol, SaysWhenTheDatabaseIsAway) {
  auto answer = call("GET", "/v1/tenants/acme");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.find("retry-after"), "1");
  EXPECT_EQ(code_of(answer), "storage_unavailable");
  EXPECT_EQ(answer.body.find("secret detail"), std::string::npos);
}

TEST_F(api_protocol, KnowsNoIdOfAnotherKind) {
  for (auto path : {"/v1/endpoints/x", "/v1/endpoints/evt_x",
                    "/v1/deliveries/x", "/v1/deliveries/dlv_x/attempts",
                    "/v1/events/own-id", "/v1/tenants/a.b"})
    EXPECT_EQ(call("GET", path).status, 404) << path;
}

class api_admin : public ::testing::Test {
protected:
  testing::raw_answer get(std::string_view target,
                          std::string_view method = "GET") {
    net::http_server server{{}, api::make_admin(engine_.ports())};
    server.start();
    auto answer = testing::exchange(
        server.port(), std::string{method} + " " + std::string{target}
                           + " HTTP/1.1\r\nHost: h\r\n\r\n");
    return answer.value_or(testing::raw_answer{});
  }

  testing::engine engine_;
};

TEST_F(api_admin, IsHealthyWhateverItDependsOn) {
  engine_.report({{"database", false, "away"}});
  EXPECT_EQ(get("/healthz").status, 200);
}

TEST_F(api_admin, IsReadyWhenEveryCheckIs) {
  engine_.report({{"database", true, ""}, {"leases", false, "none held"}});
  auto answer = get("/readyz");
  EXPECT_EQ(answer.status, 503);
  auto body = nlohmann::json::parse(answer.body);
  EXPECT_EQ(body.at("checks").at(1).at("name"), "leases");
  EXPECT_EQ(body.at("checks").at(1).at("ok"), false);
  engine_.report({{"database", true, ""}});
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_EQ(get("/other").status, 404);
  EXPECT_EQ(get("/readyz", "POST").status, 405);
}

} // namespace
} // namespace postrider
