#include "core/signature.hpp"
#include "tests/app/api/catalog_fixture.hpp"

namespace postrider {
namespace {

class api_catalog_endpoints : public api_catalog {};

TEST_F(api_catalog_endpoints, MakesTenantsAndShowsThem) {
  auto made = json_of(put("/v1/tenants/t-1", R"({"name":"Käse"})"), 201);
  EXPECT_EQ(made.at("name"), "Käse");
  EXPECT_EQ(json_of(put("/v1/tenants/t-1", R"({"name":"B"})")).at("name"), "B");
  EXPECT_EQ(json_of(get("/v1/tenants/t-1")).at("id"), "t-1");
  EXPECT_EQ(get("/v1/tenants/none").status, 404);
  EXPECT_EQ(put("/v1/tenants/a.b", "{}").status, 422);
  EXPECT_EQ(put("/v1/tenants/t-2", R"({"nam":"x"})").status, 422);
  EXPECT_EQ(call("PUT", "/v1/tenants/t-2").status, 201);
}

TEST_F(api_catalog_endpoints, ShowsTheSecretOnceOnly) {
  auto made = post("/v1/endpoints",
                   R"({"tenant":"acme","types":["order.*"],"uid":"u-1",
                       "url":"https://h.example/x?y","retry":["5s","2m"],
                       "headers":{"X-A":"b"},"timeout_seconds":2.5})");
  auto body = json_of(made, 201);
  EXPECT_TRUE(signing_key::parse(body.at("secret").get<std::string>()));
  EXPECT_EQ(made.find("location"),
            "/v1/endpoints/" + body.at("id").get<std::string>());
  EXPECT_EQ(changes_, 1);
  auto answer = get(made.find("location"));
  auto shown = json_of(answer);
  EXPECT_FALSE(shown.contains("secret"));
  EXPECT_EQ(answer.find("etag"), made.find("etag"));
  EXPECT_EQ(shown.at("retry"), "5s 2m");
  EXPECT_EQ(shown.at("timeout_seconds"), 2.5);
  EXPECT_EQ(shown.at("ordering"), "fifo");
  EXPECT_EQ(shown.at("headers"), nlohmann::json::parse(R"({"X-A":"b"})"));
  EXPECT_EQ(shown.at("types"), nlohmann::json::parse(R"(["order.*"])"));
  body.erase("secret");
  EXPECT_EQ(shown, body);
}

// HDR-04, SIG-11: what lets a reader in is shown to nobody, and what was
// shown in its place changes nothing when it is given back.
TEST_F(api_catalog_endpoints, MasksHeadersThatCarrySecretsInAnyCase) {
  for (const std::string name :
       {"authorization", "AUTHORIZATION", "X-Api-Key", "Cookie",
        "proxy-Authorization", "x-access-TOKEN"}) {
    auto path = add_endpoint(R"(,"headers":{"X-Plain":"seen",")" + name
                             + R"(":"hidden-1"})");
    auto answer = get(path);
    EXPECT_EQ(answer.body.find("hidden-1"), std::string::npos) << answer.body;
    auto shown = json_of(answer);
    EXPECT_EQ(shown.at("headers").at(name), "********");
    EXPECT_EQ(shown.at("headers").at("X-Plain"), "seen");
    auto list = get("/v1/endpoints?tenant=acme");
    EXPECT_EQ(list.body.find("hidden-1"), std::string::npos);
    auto changed = call(
        "PATCH", path,
        nlohmann::json{{"headers", shown.at("headers")}, {"description", "new"}}
            .dump(),
        as_json);
    EXPECT_EQ(json_of(changed).at("description"), "new");
    EXPECT_EQ(changed.body.find("hidden-1"), std::string::npos);
    testing::sql db{url_};
    EXPECT_EQ(db.one("select headers @> '[{\"value\": \"hidden-1\"}]' from "
                     "postrider.endpoint order by id desc limit 1"),
              "t");
  }
  auto event = add_event("1", R"(,"headers":{"X-Token":"hidden-2"})");
  auto answer = get("/v1/events/" + event);
  EXPECT_EQ(answer.body.find("hidden-2"), std::string::npos) << answer.body;
}

// SIG-11: a signing secret is shown once and can't be changed by a patch.
TEST_F(api_catalog_endpoints, KeepsItsSecretWhateverIsGivenBack) {
  auto path = add_endpoint();
  testing::sql db{url_};
  const auto sealed = "select string_agg(encode(sealed, 'hex'), ' ') "
                      "from postrider.endpoint_secret";
  const auto before = db.one(sealed);
  for (const auto* secret : {"\"********\"", "\"whsec_********\"", "null",
                             "\"whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGQ==\""})
    expect_fault(
        call("PATCH", path,
             R"({"description":"x","secret":)" + std::string{secret} + "}",
             as_json),
        422, "/secret", "immutable");
  EXPECT_EQ(db.one(sealed), before);
}

TEST_F(api_catalog_endpoints, TakesAGivenSecret) {
  std::string secret = "whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=";
  auto made = json_of(
      post("/v1/endpoints", R"({"tenant":"acme","types":["*"],"secret":")"
                                + secret + R"(","url":"https://h.example/"})"),
      201);
  EXPECT_EQ(made.at("secret"), secret);
}

TEST_F(api_catalog_endpoints, RefusesAnUnknownTenantAndATakenUid) {
  expect_fault(post("/v1/endpoints", R"({"tenant":"none","types":["*"],
                                         "url":"https://h.example/"})"),
               422, "/tenant", "unknown_tenant");
  add_endpoint(R"(,"uid":"u")");
  expect_fault(post("/v1/endpoints", R"({"tenant":"acme","types":["*"],
                                   "uid":"u","url":"https://h.example/"})"),
               409, "/uid", "uid_taken");
}

TEST_F(api_catalog_endpoints, ChangesWhatAPatchNamesAndNothingElse) {
  auto path = add_endpoint(R"(,"headers":{"X-A":"1","X-B":"1"})");
  auto before = json_of(get(path));
  auto answer = call("PATCH", path,
                     R"({"description":"d","headers":{"x-a":null,"X-C":"2"}})",
                     "Content-Type: application/merge-patch+json\r\n");
  auto after = json_of(answer);
  EXPECT_EQ(after.at("description"), "d");
  EXPECT_EQ(after.at("headers"),
            nlohmann::json::parse(R"({"X-B":"1","X-C":"2"})"));
  EXPECT_NE(after.at("version"), before.at("version"));
  for (auto name : {"description", "headers", "version", "updated_at"}) {
    before.erase(name);
    after.erase(name);
  }
  EXPECT_EQ(after, before);
}

TEST_F(api_catalog_endpoints, ChangesOnlyTheVersionThatWasRead) {
  auto path = add_endpoint();
  auto tag = get(path).find("etag");
  auto patch = [&](const std::string& if_match, std::string_view body) {
    return call("PATCH", path, body,
                std::string{as_json} + "If-Match: " + if_match + "\r\n");
  };
  auto changed = patch(tag, R"({"description":"one"})");
  EXPECT_EQ(changed.status, 200);
  for (auto body : {R"({"description":"two"})", R"({"headers":{"X-A":"1"}})"}) {
    auto stale = patch(tag, body);
    EXPECT_EQ(stale.status, 412);
    EXPECT_EQ(code_of(stale), "precondition_failed");
  }
  EXPECT_EQ(patch("\"nonsense\"", "{}").status, 412);
  EXPECT_EQ(patch("*", R"({"description":"three"})").status, 200);
  EXPECT_EQ(call("DELETE", path, "", "If-Match: " + tag + "\r\n").status, 412);
  auto fresh = get(path).find("etag");
  EXPECT_EQ(call("GET", path, "", "If-None-Match: " + fresh + "\r\n").status,
            304);
  EXPECT_EQ(call("DELETE", path, "", "If-Match: " + fresh + "\r\n").status,
            204);
}

TEST_F(api_catalog_endpoints, ForgetsADeletedOne) {
  auto path = add_endpoint();
  EXPECT_EQ(call("DELETE", path).status, 204);
  EXPECT_EQ(get(path).status, 404);
  EXPECT_EQ(call("DELETE", path).status, 404);
  EXPECT_EQ(call("PATCH", path, "{}", as_json).status, 404);
  EXPECT_EQ(call("PATCH", path, R"({"headers":{"X-A":"1"}})", as_json).status,
            404);
  EXPECT_EQ(json_of(get("/v1/endpoints")).at("data").size(), 0u);
}

// ADM-01
TEST_F(api_catalog_endpoints, WalksTheListOncePerRow) {
  for (int i = 0; i < 7; ++i)
    add_endpoint();
  std::set<std::string> seen;
  std::string cursor;
  for (int pages = 1;; ++pages) {
    auto page = json_of(get("/v1/endpoints?tenant=acme&limit=3" + cursor));
    for (const auto& row : page.at("data"))
      EXPECT_TRUE(seen.insert(row.at("id").get<std::string>()).second);
    if (!page.at("has_more")) {
      EXPECT_EQ(pages, 3);
      EXPECT_TRUE(page.at("next_cursor").is_null());
      break;
    }
    cursor = "&cursor=" + page.at("next_cursor").get<std::string>();
  }
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(json_of(get("/v1/endpoints?tenant=none")).at("data").size(), 0u);
}

} // namespace
} // namespace postrider
