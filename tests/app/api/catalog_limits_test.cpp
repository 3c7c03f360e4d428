#include "tests/app/api/catalog_fixture.hpp"

namespace postrider {
namespace {

class api_catalog_limits : public api_catalog {
protected:
  testing::raw_answer patch(const std::string& path, std::string_view body) {
    return call("PATCH", path, body, as_json);
  }
};

TEST_F(api_catalog_limits, KeepsWhatAnEndpointSaysOfItsFlow) {
  const auto path = add_endpoint(
      R"(,"rate":2.5,"retry_statuses":"408, 5xx,!501","health_policy":"shop",
         "retry":{"waits":["5s","30s"],"max_attempts":7,"jitter":"50-150%",
                  "max_age":"24h"})");
  auto shown = json_of(get(path));
  EXPECT_EQ(shown.at("rate"), 2.5);
  EXPECT_EQ(shown.at("retry_statuses"), "408, 5xx,!501");
  EXPECT_EQ(shown.at("health_policy"), "shop");
  EXPECT_EQ(shown.at("retry"), "5s 30s attempts=7 jitter=50-150% max_age=24h");
  shown = json_of(patch(path, R"({"rate":100000})"));
  EXPECT_EQ(shown.at("rate"), 100'000);
  EXPECT_EQ(shown.at("health_policy"), "shop") << "what is not named stays";
  shown = json_of(patch(path, R"({"rate":null,"retry_statuses":null,
                                  "health_policy":null,"retry":null})"));
  EXPECT_TRUE(shown.at("rate").is_null());
  EXPECT_TRUE(shown.at("retry_statuses").is_null());
  EXPECT_EQ(shown.at("health_policy"), "default");
  EXPECT_EQ(shown.at("retry"), "default");
  testing::sql db{url_};
  EXPECT_EQ(db.one("select rate is null and retry_statuses is null "
                   "from postrider.endpoint"),
            "t");
}

TEST_F(api_catalog_limits, GivesADeliveryTheAgeThatItsPolicySays) {
  add_endpoint(R"(,"retry":"5s 30s max_age=2h")");
  add_event();
  testing::sql db{url_};
  EXPECT_EQ(db.one("select deadline between now() + '119 m' and now() + '2 h' "
                   "from postrider.delivery"),
            "t");
}

TEST_F(api_catalog_limits, LimitsATenantUntilItIsTakenBack) {
  auto made = json_of(
      put("/v1/tenants/big", R"({"name":"B","max_in_flight":50,"rate":0.5})"),
      201);
  EXPECT_EQ(made.at("max_in_flight"), 50);
  EXPECT_EQ(made.at("rate"), 0.5);
  EXPECT_EQ(json_of(get("/v1/tenants/big")), made);
  auto changed = json_of(patch("/v1/tenants/big", R"({"rate":20})"));
  EXPECT_EQ(changed.at("rate"), 20);
  EXPECT_EQ(changed.at("max_in_flight"), 50);
  EXPECT_EQ(changed.at("name"), "B");
  changed = json_of(patch("/v1/tenants/big", R"({"rate":null})"));
  EXPECT_TRUE(changed.at("rate").is_null());
  EXPECT_EQ(changed.at("max_in_flight"), 50);
  // A PUT says all of it.
  changed = json_of(put("/v1/tenants/big", R"({"rate":7})"));
  EXPECT_TRUE(changed.at("max_in_flight").is_null());
  EXPECT_EQ(changed.at("name"), "");
  EXPECT_EQ(json_of(get("/v1/tenants?limit=1")).at("data").at(0).at("rate"),
            nullptr);
  EXPECT_EQ(patch("/v1/tenants/none", "{}").status, 404);
}

TEST_F(api_catalog_limits, RefusesLimitsThatAreNone) {
  for (const auto* body :
       {R"({"max_in_flight":0})", R"({"max_in_flight":100001})",
        R"({"max_in_flight":"8"})", R"({"rate":0})", R"({"rate":-1})",
        R"({"rate":1000001})", R"({"rates":1})", "[]"}) {
    EXPECT_EQ(put("/v1/tenants/big", body).status, 422) << body;
    EXPECT_EQ(patch("/v1/tenants/acme", body).status, 422) << body;
  }
  EXPECT_EQ(get("/v1/tenants/big").status, 404);
}

// Its events tell operators of the health of endpoints: it can't go.
TEST_F(api_catalog_limits, KeepsTheTenantOfItsOwnEvents) {
  EXPECT_EQ(json_of(get("/v1/tenants/postrider")).at("name"),
            "Operational events");
  for (const auto& refused : {put("/v1/tenants/postrider", R"({"name":"x"})"),
                              call("DELETE", "/v1/tenants/postrider")}) {
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(code_of(refused), "reserved_tenant");
  }
  EXPECT_EQ(json_of(patch("/v1/tenants/postrider", R"({"rate":5})")).at("rate"),
            5);
  EXPECT_EQ(json_of(get("/v1/tenants/postrider")).at("name"),
            "Operational events");
}

} // namespace
} // namespace postrider
