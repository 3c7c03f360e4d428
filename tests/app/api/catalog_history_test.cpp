#include "tests/app/api/catalog_fixture.hpp"

namespace postrider {
namespace {

class api_catalog_history : public api_catalog {
protected:
  std::size_t count(const std::string& target) {
    return json_of(get(target)).at("data").size();
  }
};

TEST_F(api_catalog_history, ListsAttemptsAcrossDeliveries) {
  auto endpoint = add_endpoint().substr(std::string{"/v1/endpoints/"}.size());
  add_endpoint();
  for (int i = 0; i < 3; ++i)
    add_event();
  fail_deliveries();
  auto page = json_of(get("/v1/attempts?limit=4"));
  EXPECT_EQ(page.at("data").size(), 4u);
  EXPECT_TRUE(page.at("has_more"));
  auto rest = json_of(get("/v1/attempts?limit=4&cursor="
                          + page.at("next_cursor").get<std::string>()));
  EXPECT_EQ(rest.at("data").size(), 2u);
  EXPECT_FALSE(rest.at("has_more"));
  auto one = rest.at("data").at(0);
  EXPECT_EQ(json_of(get("/v1/attempts/" + one.at("id").get<std::string>())),
            one);
  EXPECT_EQ(one.at("tenant"), "acme");
  EXPECT_EQ(count("/v1/attempts?outcome=failed&endpoint=" + endpoint), 3u);
  EXPECT_EQ(count("/v1/attempts?outcome=succeeded"), 0u);
  EXPECT_EQ(count("/v1/attempts?since=2026-01-01T00:00:00Z"), 6u);
  EXPECT_EQ(count("/v1/attempts?until=2026-01-01T00:00:00Z"), 0u);
}

TEST_F(api_catalog_history, RefusesQueriesThatItDoesNotUnderstand) {
  for (auto query : {"outcome=lost", "since=yesterday", "endpoint=dlv_1",
                     "limit=0", "cursor=AAAA", "outcom=failed"})
    EXPECT_EQ(get("/v1/attempts?" + std::string{query}).status, 400) << query;
  // A cursor of another list, whose key has another form.
  add_endpoint();
  add_event();
  add_event();
  auto page = json_of(get("/v1/deliveries?limit=1"));
  EXPECT_EQ(code_of(get("/v1/attempts?cursor="
                        + page.at("next_cursor").get<std::string>())),
            "bad_cursor");
  EXPECT_EQ(get("/v1/attempts/att_1").status, 404);
}

TEST_F(api_catalog_history, ListsEventsTenantsAndNodes) {
  EXPECT_EQ(put("/v1/tenants/zeta", R"({"name":"Z"})").status, 201);
  std::set<std::string> sent{add_event(), add_event("2", R"(,"id":"own")")};
  auto events = json_of(get("/v1/events?limit=1"));
  auto rest = json_of(
      get("/v1/events?cursor=" + events.at("next_cursor").get<std::string>()));
  std::set<std::string> seen{events.at("data").at(0).at("id"),
                             rest.at("data").at(0).at("id")};
  EXPECT_EQ(seen, sent);
  EXPECT_FALSE(rest.at("has_more"));
  EXPECT_EQ(count("/v1/events?tenant=acme&type=order.paid"), 2u);
  EXPECT_EQ(count("/v1/events?tenant=zeta"), 0u);
  EXPECT_EQ(count("/v1/events?since=2026-01-01T00:00:00Z"), 2u);
  EXPECT_EQ(count("/v1/events?until=2026-01-01T00:00:00Z"), 0u);
  auto tenants = json_of(get("/v1/tenants?limit=1"));
  EXPECT_EQ(tenants.at("data").at(0).at("id"), "acme");
  auto more = json_of(get("/v1/tenants?cursor="
                          + tenants.at("next_cursor").get<std::string>()));
  EXPECT_EQ(more.at("data").at(0).at("id"), "postrider");
  EXPECT_EQ(more.at("data").at(1).at("name"), "Z");
  EXPECT_EQ(more.at("next_cursor"), nullptr);
  EXPECT_EQ(count("/v1/nodes"), 0u);
}

TEST_F(api_catalog_history, DeletesATenantThatHasNoEndpoints) {
  auto endpoint = add_endpoint();
  EXPECT_EQ(code_of(call("DELETE", "/v1/tenants/acme")), "wrong_state");
  EXPECT_EQ(call("DELETE", endpoint).status, 204);
  EXPECT_EQ(call("DELETE", "/v1/tenants/acme").status, 204);
  EXPECT_EQ(call("DELETE", "/v1/tenants/acme").status, 404);
  EXPECT_EQ(post("/v1/endpoints", R"({"tenant":"acme","types":["*"],)"
                                  R"("url":"https://h.example/"})")
                .status,
            422);
}

TEST_F(api_catalog_history, SumsUpAndPutsBackDeadLetters) {
  auto endpoint = add_endpoint().substr(std::string{"/v1/endpoints/"}.size());
  for (int i = 0; i < 3; ++i)
    add_event();
  fail_deliveries();
  EXPECT_EQ(count("/v1/dead-letters?error=http_4xx&reason=rejected"), 3u);
  auto summary = json_of(get("/v1/dead-letters/summary?endpoint=" + endpoint));
  EXPECT_EQ(summary.at("count"), 3);
  EXPECT_EQ(summary.at("data").at(0).at("error"), "http_4xx");
  auto refused = post("/v1/dead-letters/retry",
                      R"({"error":"http_4xx","expect_count":2})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(code_of(refused), "count_changed");
  auto changes = changes_.load();
  auto done = json_of(post("/v1/dead-letters/retry",
                           R"({"error":"http_4xx","expect_count":3})"));
  EXPECT_EQ(done.at("retried"), 3);
  EXPECT_EQ(done.at("skipped"), 0);
  EXPECT_FALSE(done.at("has_more"));
  EXPECT_EQ(changes_, changes + 1);
  EXPECT_EQ(count("/v1/dead-letters"), 0u);
  EXPECT_EQ(count("/v1/deliveries?state=retrying"), 3u);
}

TEST_F(api_catalog_history, PurgesDeadLettersInSeveralCalls) {
  testing::sql db{url_};
  add_endpoint();
  db("select postrider.publish('acme', 'a', '1'::text) "
     "from generate_series(1, 5001)");
  fail_deliveries();
  auto first =
      json_of(post("/v1/dead-letters/purge", R"({"expect_count":5001})"));
  EXPECT_EQ(first.at("purged"), 5000);
  EXPECT_TRUE(first.at("has_more"));
  auto second =
      json_of(post("/v1/dead-letters/purge",
                   nlohmann::json{{"cursor", first.at("next_cursor")}}.dump()));
  EXPECT_EQ(second.at("purged"), 1);
  EXPECT_EQ(second.at("next_cursor"), nullptr);
  EXPECT_EQ(db.one("select count(*) from postrider.attempt"), "0");
}

TEST_F(api_catalog_history, NeedsTheCountOfWhatIsToBeTreated) {
  for (auto verb : {"retry", "purge"}) {
    auto target = "/v1/dead-letters/" + std::string{verb};
    expect_fault(post(target, "{}"), 422, "/expect_count", "required");
    expect_fault(post(target, R"({"expect_count":1,"eror":"x"})"), 422, "/eror",
                 "unknown_member");
    expect_fault(post(target, R"({"cursor":"AAAA"})"), 422, "/cursor",
                 "bad_cursor");
    expect_fault(post(target, R"({"expect_count":1,"endpoint":"x"})"), 422,
                 "/endpoint", "bad_id");
    expect_fault(post(target, R"({"expect_count":1,"since":"x"})"), 422,
                 "/since", "bad_time");
  }
}

} // namespace
} // namespace postrider
