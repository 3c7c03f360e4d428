#include "tests/app/api/fixture.hpp"

namespace postrider {

/// The routes of the configuration, over ports that answer as they are told.
class ConfigRoutes : public api_test {
protected:
  void SetUp() override {
    auto with = engine_.ports();
    api::config_ports config;
    config.show = [this] { return state_; };
    config.check = [this](auto done) { done(report_); };
    config.reload = [this](auto done) {
      ++reloads_;
      done(report_);
    };
    with.config = config;
    serve(std::move(with));
  }

  api::config_state state_;
  api::config_report report_;
  int reloads_ = 0;
};

TEST_F(ConfigRoutes, TellWhatAReloadHasChanged) {
  report_.changes = {{"http.timeout", "\"15s\"", "\"9s\"", true},
                     {"node.threads", "0", "2", false}};
  report_.warnings = {{"postrider.toml:2:9", "guard.allow: contains all", "",
                       "guard.allow", true}};
  const auto answer = call("POST", "/v1/config/reload");
  EXPECT_EQ(answer.status, 200) << answer.body;
  const auto body = nlohmann::json::parse(answer.body);
  EXPECT_EQ(body["changes"][0]["key"], "http.timeout");
  EXPECT_EQ(body["changes"][0]["in_force_after"], "reload");
  EXPECT_EQ(body["changes"][1]["in_force_after"], "restart");
  EXPECT_EQ(body["warnings"][0]["pointer"], "/guard/allow");
  EXPECT_EQ(reloads_, 1);
}

TEST_F(ConfigRoutes, AnswerAllFaultsInOneProblemDocument) {
  for (int i = 0; i < 50; ++i)
    report_.faults.push_back({"postrider.toml:3:1",
                              "unknown key http.timout (did you mean "
                              "timeout?)",
                              "", "http.timout"});
  const auto answer = call("POST", "/v1/config/reload");
  EXPECT_EQ(answer.status, 422);
  const auto body = problem_of(answer);
  EXPECT_EQ(body["code"], "config_invalid");
  ASSERT_EQ(body["errors"].size(), 50U);
  EXPECT_EQ(body["errors"][0]["pointer"], "/http/timout");
  EXPECT_EQ(body["errors"][0]["detail"],
            "postrider.toml:3:1: unknown key http.timout (did you mean "
            "timeout?)");
}

TEST_F(ConfigRoutes, CheckWithoutReloading) {
  report_.changes = {{"api.key", "\"…\"", "\"…\"", true}};
  EXPECT_EQ(call("POST", "/v1/config/check").status, 200);
  EXPECT_EQ(reloads_, 0);
}

TEST_F(ConfigRoutes, ShowWhatIsInForceAndWhereItWasSet) {
  state_.keys = {{"api", "key", "\"…\"", "POSTRIDER_API__KEY", true},
                 {"node", "threads", "2", "postrider.toml:2:11", false}};
  state_.restart_required = {"node.threads"};
  state_.last_reload_successful = false;
  const auto answer = call("GET", "/v1/config");
  EXPECT_EQ(answer.status, 200) << answer.body;
  const auto body = nlohmann::json::parse(answer.body);
  EXPECT_EQ(body["config"]["api"]["key"]["value"], "\"…\"");
  EXPECT_EQ(body["config"]["node"]["threads"]["set_by"], "postrider.toml:2:11");
  EXPECT_EQ(body["restart_required"][0], "node.threads");
  EXPECT_EQ(body["last_reload_successful"], false);
}

TEST_F(ConfigRoutes, TakeNoBodyAndNoStranger) {
  EXPECT_EQ(call("POST", "/v1/config/reload", "{}", as_json).status, 422);
  EXPECT_EQ(send("POST /v1/config/reload HTTP/1.1\r\nHost: h\r\n"
                 "Content-Length: 0\r\n\r\n")
                .status,
            401);
  EXPECT_EQ(reloads_, 0);
}

TEST_F(ConfigRoutes, AreNotThereWhereNothingCanBeReadAgain) {
  serve(engine_.ports());
  EXPECT_EQ(call("POST", "/v1/config/reload").status, 404);
  EXPECT_EQ(call("GET", "/v1/config").status, 404);
}

TEST(LiveApi, AnswersUnderTheNewKeyAtOnce) {
  testing::engine engine;
  api::live_api live{{"pr_old", 10, 1000, {}}, engine.ports()};
  net::http_server server{{}, live.handler()};
  server.start();
  const auto status = [&](const std::string& key) {
    testing::raw_client client{server.port()};
    client.send("GET /v1/nothing HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "
                + key + "\r\n\r\n");
    const auto answer = client.receive(false);
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(status("pr_old"), 404);
  live.apply({"pr_new", 10, 1000, {}});
  EXPECT_EQ(status("pr_old"), 401);
  EXPECT_EQ(status("pr_new"), 404);
}

} // namespace postrider
