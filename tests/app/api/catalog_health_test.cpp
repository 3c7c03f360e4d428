#include "tests/app/api/catalog_fixture.hpp"

namespace postrider {
namespace {

using nlohmann::json;

class api_catalog_health : public api_catalog {
protected:
  /// The health that an endpoint shows.
  json health_of(const std::string& path) {
    return json_of(get(path)).at("health");
  }

  /// Moves the newest endpoint into a state, as the engine would.
  void set_state(const std::string& state) {
    testing::sql db{url_};
    db("insert into postrider.endpoint_health (endpoint, partition, state, "
       "cause, origin, rung, trial_at, suspended_since, retire_at, not_before) "
       "select id, partition, '"
       + state
       + "', 'threshold', 'engine', 2, now() + '1 m', now(), now() + '7 d', "
         "now() - interval '1 s' from postrider.endpoint "
         "order by id desc limit 1");
  }

  std::set<std::string> ids_of(const std::string& query) {
    std::set<std::string> ids;
    std::string cursor;
    do {
      const auto page = json_of(get("/v1/endpoints?limit=1" + query + cursor));
      for (const auto& row : page.at("data"))
        EXPECT_TRUE(
            ids.insert("/v1/endpoints/" + row.at("id").get<std::string>())
                .second);
      cursor = page.at("has_more")
                   ? "&cursor=" + page.at("next_cursor").get<std::string>()
                   : "";
    } while (!cursor.empty());
    return ids;
  }

  json only_delivery() {
    const auto page = json_of(get("/v1/deliveries"));
    EXPECT_EQ(page.at("data").size(), 1u);
    return page.at("data").at(0);
  }
};

TEST_F(api_catalog_health, ShowsANewEndpointAsHealthy) {
  const auto path = add_endpoint();
  auto expected = json::parse(R"({"state":"healthy","trials_failed":0,
                                  "paused":false,"releasing":false})");
  EXPECT_EQ(health_of(path), expected);
  expected["open"] = 0;
  expected["held"] = 0;
  EXPECT_EQ(json_of(get(path + "/health")), expected);
  EXPECT_EQ(get("/v1/endpoints/ep_1/health").status, 404);
}

TEST_F(api_catalog_health, ShowsAnIncidentWithItsTimes) {
  const auto path = add_endpoint();
  set_state("suspended");
  const auto shown = health_of(path);
  EXPECT_EQ(shown.at("state"), "suspended");
  EXPECT_EQ(shown.at("cause"), "threshold");
  EXPECT_EQ(shown.at("origin"), "engine");
  EXPECT_EQ(shown.at("trials_failed"), 2);
  EXPECT_LT(shown.at("since"), shown.at("next_trial_at"));
  EXPECT_LT(shown.at("next_trial_at"), shown.at("retire_at"));
  EXPECT_EQ(shown.at("suspended_since"), shown.at("since"));
  EXPECT_FALSE(shown.contains("not_before")) << "it has passed";
}

TEST_F(api_catalog_health, PausesWithAReasonAndHoldsWhatComesThen) {
  const auto path = add_endpoint();
  const auto before = changes_.load();
  const auto answer = post(path + "/pause", R"({"reason":"Wartung Süd"})");
  const auto paused = json_of(answer);
  EXPECT_EQ(changes_, before + 1) << "the nodes hear of it";
  EXPECT_EQ(answer.find("etag"), get(path).find("etag"));
  EXPECT_EQ(paused.at("health").at("paused"), true);
  EXPECT_EQ(paused.at("health").at("paused_reason"), "Wartung Süd");
  EXPECT_EQ(paused.at("health").at("state"), "healthy");
  EXPECT_TRUE(paused.at("health").contains("paused_at"));
  EXPECT_EQ(paused, json_of(get(path)));
  add_event();
  const auto held = only_delivery();
  EXPECT_EQ(held.at("state"), "held");
  EXPECT_FALSE(held.contains("due_at"));
  for (const auto* where : {"", "&tenant=acme"})
    EXPECT_EQ(json_of(get(std::string{"/v1/deliveries?state=held"} + where))
                  .at("data"),
              json::array({held}));
  EXPECT_EQ(json_of(get("/v1/deliveries?state=queued")).at("data").size(), 0u);
  EXPECT_EQ(json_of(get("/v1/deliveries/" + held.at("id").get<std::string>())),
            held);
  const auto waits = json_of(get(path + "/health"));
  EXPECT_EQ(waits.at("held"), 1);
  EXPECT_EQ(waits.at("open"), 1);
  EXPECT_TRUE(waits.contains("oldest_held_at"));
  const auto resumed = json_of(post(path + "/resume")).at("health");
  EXPECT_EQ(resumed.at("paused"), false);
  EXPECT_EQ(resumed.at("releasing"), true);
  EXPECT_FALSE(resumed.contains("paused_reason"));
}

TEST_F(api_catalog_health, CancelsOnRecordWhatComesForADisabledOne) {
  const auto path = add_endpoint();
  const auto disabled =
      json_of(post(path + "/disable", R"({"reason":"gone"})")).at("health");
  EXPECT_EQ(disabled.at("state"), "disabled");
  EXPECT_EQ(disabled.at("origin"), "operator");
  EXPECT_EQ(disabled.at("reason"), "gone");
  add_event();
  const auto row = only_delivery();
  EXPECT_EQ(row.at("state"), "cancelled");
  EXPECT_EQ(row.at("reason"), "endpoint_disabled");
  EXPECT_EQ(row.at("attempts"), 0);
  EXPECT_TRUE(row.contains("ended_at"));
  const auto id = row.at("id").get<std::string>();
  EXPECT_EQ(json_of(get("/v1/deliveries/" + id)), row);
  const auto record =
      json_of(get("/v1/deliveries/" + id + "/attempts")).at("data");
  ASSERT_EQ(record.size(), 1u);
  EXPECT_EQ(record[0].at("number"), 0);
  EXPECT_EQ(record[0].at("sent"), false);
  EXPECT_EQ(record[0].at("final"), true);
  EXPECT_EQ(record[0].at("outcome"), "cancelled");
  EXPECT_EQ(record[0].at("reason"), "endpoint_disabled");
  EXPECT_EQ(json_of(get("/v1/attempts")).at("data").at(0), record[0]);

  const auto refused = post("/v1/deliveries/" + id + "/retry");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(code_of(refused), "endpoint_disabled");
  EXPECT_NE(refused.body.find("enable it first"), std::string::npos);
  const auto enabled = json_of(post(path + "/enable")).at("health");
  EXPECT_EQ(enabled.at("state"), "healthy");
  EXPECT_EQ(post("/v1/deliveries/" + id + "/retry").status, 202);
  EXPECT_EQ(only_delivery().at("state"), "retrying");
}

TEST_F(api_catalog_health, RefusesToHastenARetryOfADisabledOne) {
  const auto path = add_endpoint();
  add_event();
  testing::sql db{url_};
  db("update postrider.delivery set state = 'retrying', due_at = now() + '1h'");
  json_of(post(path + "/disable"));
  const auto id = only_delivery().at("id").get<std::string>();
  EXPECT_EQ(code_of(post("/v1/deliveries/" + id + "/retry")),
            "endpoint_disabled");
}

// What an endpoint missed is no dead letter, but can be put back as they are.
TEST_F(api_catalog_health, PutsBackInOneGoWhatADisabledOneHasMissed) {
  const auto path = add_endpoint();
  json_of(post(path + "/disable"));
  add_event();
  EXPECT_EQ(json_of(get("/v1/dead-letters")).at("data").size(), 0u);
  EXPECT_EQ(json_of(get("/v1/dead-letters/summary")).at("count"), 0);
  const std::string missed = "?reason=endpoint_disabled";
  const auto rows = json_of(get("/v1/dead-letters" + missed)).at("data");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("state"), "cancelled");
  EXPECT_EQ(rows[0].at("error"), "endpoint_disabled");
  EXPECT_EQ(json_of(get("/v1/dead-letters/summary" + missed)).at("count"), 1);
  const auto retry = [&] {
    return json_of(post("/v1/dead-letters/retry",
                        R"({"reason":"endpoint_disabled","expect_count":1})"));
  };
  EXPECT_EQ(retry().at("skipped"), 1) << "it is still disabled";
  json_of(post(path + "/enable"));
  EXPECT_EQ(retry().at("retried"), 1);
  EXPECT_EQ(only_delivery().at("state"), "retrying");
}

TEST_F(api_catalog_health, OperatesOnlyOnTheVersionThatWasRead) {
  const auto path = add_endpoint();
  const auto tag = get(path).find("etag");
  const auto pause = [&](const std::string& if_match) {
    return post(path + "/pause", "{}", "If-Match: " + if_match + "\r\n");
  };
  EXPECT_EQ(pause("\"nonsense\"").status, 412);
  EXPECT_EQ(pause(tag).status, 200);
  const auto stale = pause(tag);
  EXPECT_EQ(stale.status, 412) << "its health is a part of its version";
  EXPECT_EQ(code_of(stale), "precondition_failed");
  EXPECT_EQ(pause(get(path).find("etag")).status, 200);
  EXPECT_EQ(pause("*").status, 200);
}

TEST_F(api_catalog_health, KnowsNothingOfOneThatIsNotThere) {
  const auto path = add_endpoint();
  EXPECT_EQ(call("DELETE", path).status, 204);
  for (const auto* verb : {"/pause", "/resume", "/disable", "/enable"}) {
    EXPECT_EQ(post(path + verb).status, 404) << verb;
    EXPECT_EQ(post(std::string{"/v1/endpoints/ep_1"} + verb).status, 404);
    EXPECT_EQ(get(path + verb).status, 405) << verb;
  }
  EXPECT_EQ(get(path + "/health").status, 404);
}

TEST_F(api_catalog_health, ListsEndpointsByTheirHealth) {
  const auto fresh = add_endpoint();
  const auto recovered = add_endpoint();
  json_of(post(recovered + "/enable"));
  const auto degraded = add_endpoint();
  set_state("degraded");
  const auto suspended = add_endpoint();
  set_state("suspended");
  const auto two = add_endpoint();
  set_state("degraded");
  const auto disabled = add_endpoint();
  json_of(post(disabled + "/disable"));
  json_of(post(suspended + "/pause"));
  json_of(post(fresh + "/pause"));
  const auto by = [&](const std::string& health) {
    const auto found = ids_of("&health=" + health);
    EXPECT_EQ(ids_of("&tenant=acme&health=" + health), found);
    EXPECT_TRUE(ids_of("&tenant=other&health=" + health).empty());
    return found;
  };
  using set = std::set<std::string>;
  EXPECT_EQ(by("degraded"), (set{degraded, two}));
  EXPECT_EQ(by("suspended"), set{suspended});
  EXPECT_EQ(by("disabled"), set{disabled});
  EXPECT_EQ(by("paused"), (set{suspended, fresh}));
  EXPECT_EQ(by("healthy"), (set{fresh, recovered}));
  EXPECT_EQ(ids_of("").size(), 6u);
  const auto refused = get("/v1/endpoints?health=degrded");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("did you mean degraded?"), std::string::npos);
}

TEST_F(api_catalog_health, TellsOperatorsOfATransitionByAnEvent) {
  json_of(post("/v1/endpoints", R"({"tenant":"postrider","types":["endpoint.*"],
                                    "url":"https://ops.example/"})"),
          201);
  const auto path = add_endpoint(R"(,"uid":"shop-1")");
  json_of(post(path + "/disable", R"({"reason":"secret matter"})"));
  json_of(post(path + "/enable"));
  const auto events = json_of(get("/v1/events?tenant=postrider")).at("data");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at("type"), "endpoint.recovered");
  EXPECT_EQ(events[1].at("type"), "endpoint.disabled");
  EXPECT_EQ(events[1].at("deliveries"), 1);
  const auto told = json_of(
      get("/v1/events/" + events[1].at("id").get<std::string>() + "/payload"));
  EXPECT_EQ("/v1/endpoints/" + told.at("endpoint").get<std::string>(), path);
  EXPECT_EQ(told.at("tenant"), "acme");
  EXPECT_EQ(told.at("uid"), "shop-1");
  EXPECT_EQ(told.at("from"), "healthy");
  EXPECT_EQ(told.at("to"), "disabled");
  EXPECT_EQ(told.at("origin"), "operator");
  EXPECT_FALSE(told.contains("reason")) << "what people write stays here";
}

} // namespace
} // namespace postrider
