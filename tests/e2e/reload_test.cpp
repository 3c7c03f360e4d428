#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// A platform whose node reads a file that the test rewrites.
class Reload : public ::testing::Test {
protected:
  Reload() {
    write_secret("secret.key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    write_secret("api.key", here_.key());
    write_secret("url", here_.url());
    write();
  }
  ~Reload() override {
    here_.nodes().clear();
    std::filesystem::remove_all(folder_);
  }

  void write_secret(const std::string& name, const std::string& text) const {
    std::ofstream{folder_ / name} << text << "\n";
    std::filesystem::permissions(folder_ / name, std::filesystem::perms{0600});
  }

  /// The file, with what is put in at its end.
  void write(const std::string& more = "",
             const std::string& allow = "127.0.0.0/8") const {
    const auto path = [this](const char* name) {
      return (folder_ / name).string();
    };
    std::ofstream{folder_ / "postrider.toml"} << fmt::format(
        "[storage]\nurl_file = \"{}\"\nsecret_key_file = \"{}\"\n"
        "[api]\nkey_file = \"{}\"\nlisten = \"127.0.0.1:0\"\n"
        "[admin]\nlisten = \"127.0.0.1:0\"\n"
        "[guard]\nallow = [\"{}\"]\n{}",
        path("url"), path("secret.key"), path("api.key"), allow, more);
  }

  node_process& start() {
    here_.nodes().push_back(std::make_unique<node_process>(
        std::map<std::string, std::string>{},
        std::vector<std::string>{"--config",
                                 (folder_ / "postrider.toml").string()}));
    auto& node = *here_.nodes().back();
    EXPECT_TRUE(eventually(
        [&] { return here_.call(node, "READY", "/readyz").status == 200; },
        30s))
        << node.log();
    return node;
  }

  /// The status of a call with that key.
  int status_with(const node_process& node, const std::string& key) const {
    const auto answer = exchange(
        node.api_port(),
        fmt::format("GET /v1/config HTTP/1.1\r\nHost: t\r\nConnection: close"
                    "\r\nAuthorization: Bearer {}\r\n\r\n",
                    key));
    return answer ? answer->status : 0;
  }

  platform here_;
  std::filesystem::path folder_ = [] {
    auto name =
        (std::filesystem::temp_directory_path() / "postrider-XXXXXX").string();
    return std::filesystem::path{mkdtemp(name.data())};
  }();
};

// Nothing is lost, first attempts keep their order, and what is new is in
// force.
TEST_F(Reload, WhileDeliveriesFlowLosesNothingAndKeepsTheOrder) {
  receiver shop{[](const arrival&) { return answer(200); }};
  auto& node = start();
  here_.tenant();
  here_.endpoint(shop.url());
  std::atomic<bool> done{false};
  std::atomic<int> sent{0};
  std::thread producer{[&] {
    while (!done) {
      here_.send("order.paid", std::to_string(sent));
      ++sent;
    }
  }};
  for (int i = 0; i < 8; ++i) {
    write(fmt::format("[delivery]\nheader_prefix = \"X-Postrider-\"\n"
                      "window = {}\nsettle_max = {}\nper_endpoint = {}\n"
                      "[http]\nuser_agent = \"round-{}\"\n",
                      100 + i * 50, 10 + i, 1 + i, i));
    const auto answer = here_.call(node, "POST", "/v1/config/reload");
    EXPECT_EQ(answer.status, 200) << answer.body;
    const auto seen = shop.arrivals().size();
    EXPECT_TRUE(shop.wait_for(seen + 20));
  }
  done = true;
  producer.join();
  ASSERT_TRUE(here_.settled());
  std::map<std::string, int> agents;
  std::int64_t last = 0;
  int first_attempts = 0;
  for (const auto& one : shop.arrivals())
    ++agents[one.find("user-agent")];
  for (const auto& one : sightings(shop)) {
    EXPECT_GT(one.sequence, last);
    last = one.sequence;
    first_attempts += one.attempt == 0 ? 1 : 0;
  }
  EXPECT_EQ(first_attempts, sent);
  EXPECT_EQ(static_cast<int>(shop.arrivals().size()), sent);
  EXPECT_TRUE(agents.contains("round-7"));
  EXPECT_GE(agents.size(), 8U);
}

TEST_F(Reload, ANewGuardHoldsAtOnce) {
  receiver shop{[](const arrival&) { return answer(200); }};
  auto& node = start();
  here_.tenant();
  here_.endpoint(shop.url());
  here_.send("a.b", "1");
  ASSERT_TRUE(here_.settled());
  write("", "192.0.2.0/24");
  EXPECT_EQ(here_.call(node, "POST", "/v1/config/reload").status, 200);
  here_.send("a.b", "2");
  ASSERT_TRUE(here_.settled());
  EXPECT_EQ(shop.arrivals().size(), 1U);
  EXPECT_EQ(here_.sql("select reason from postrider.attempt "
                      "where final order by delivery desc limit 1"),
            "blocked_address");
}

TEST_F(Reload, AnApiKeyThatWasExchangedWorksAtOnce) {
  auto& node = start();
  const std::string fresh = "pr_fresh_0123456789abcdef0123456789";
  write_secret("api.key", fresh);
  EXPECT_EQ(status_with(node, fresh), 401);
  EXPECT_EQ(here_.call(node, "POST", "/v1/config/reload").status, 200);
  EXPECT_EQ(status_with(node, here_.key()), 401);
  EXPECT_EQ(status_with(node, fresh), 200);
}

TEST_F(Reload, ABrokenFileChangesNothingAndIsTold) {
  receiver shop{[](const arrival&) { return answer(200); }};
  auto& node = start();
  here_.tenant();
  here_.endpoint(shop.url());
  write("[http]\ntimout = \"5s\"\nuser_agent = \"new\"\nca_file = 5\n");
  const auto refused = here_.call(node, "POST", "/v1/config/reload");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find("did you mean timeout?"), std::string::npos)
      << refused.body;
  EXPECT_NE(refused.body.find("/http/ca_file"), std::string::npos);
  // The log is written by a thread of its own.
  EXPECT_TRUE(eventually([&] {
    return node.log().find("not reloaded: 2 errors") != std::string::npos;
  }));
  write("[http]\nca_file = \"/nowhere/ca.pem\"\nuser_agent = \"new\"\n");
  EXPECT_EQ(here_.call(node, "POST", "/v1/config/reload").status, 422);
  here_.send("a.b", "1");
  ASSERT_TRUE(here_.settled());
  EXPECT_NE(shop.arrivals().at(0).find("user-agent"), "new");
  const auto shown = here_.call(node, "GET", "/v1/config");
  EXPECT_NE(shown.body.find("\"last_reload_successful\":false"),
            std::string::npos)
      << shown.body;
}

TEST_F(Reload, BySignalTellsWhatNeedsARestart) {
  auto& node = start();
  write("[node]\nthreads = 2\n[log]\nlevel = \"debug\"\n");
  node.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] {
    return node.log().find("in force after a restart only: node.threads")
           != std::string::npos;
  })) << node.log();
  EXPECT_NE(node.log().find("reloaded; changed: log.level"), std::string::npos);
  const auto shown = here_.call(node, "GET", "/v1/config");
  EXPECT_NE(shown.body.find("\"restart_required\":[\"node.threads\"]"),
            std::string::npos)
      << shown.body;
  EXPECT_EQ(shown.body.find(here_.key()), std::string::npos);
  EXPECT_EQ(shown.body.find("AAECAwQ"), std::string::npos);
}

TEST_F(Reload, IsSeenInTheMetrics) {
  auto& node = start();
  const auto shows = [&](const std::string& line) {
    const auto page = here_.call(node, "READY", "/metrics").body;
    return page.find("\n" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(shows("postrider_window_limit 4000"));
  write("[delivery]\nwindow = 777\n[node]\nthreads = 2\n");
  EXPECT_EQ(here_.call(node, "POST", "/v1/config/reload").status, 200);
  EXPECT_TRUE(shows("postrider_window_limit 777"));
  EXPECT_TRUE(shows("postrider_config_last_reload_successful 1"));
  EXPECT_TRUE(shows("postrider_config_restart_required 1"));
  write("[delivery]\nwindow = \"many\"\n");
  EXPECT_EQ(here_.call(node, "POST", "/v1/config/reload").status, 422);
  EXPECT_TRUE(shows("postrider_window_limit 777"));
  EXPECT_TRUE(shows("postrider_config_last_reload_successful 0"));
}

TEST_F(Reload, AStopServesOnForTheDelayButIsNotReady) {
  write("[shutdown]\ndelay = \"30s\"\n");
  auto& node = start();
  here_.tenant();
  node.signal(SIGTERM);
  EXPECT_TRUE(eventually(
      [&] { return here_.call(node, "READY", "/readyz").status == 503; }));
  here_.send("a.b", "1"); // throws when it is refused
  // A second signal ends the wait.
  node.signal(SIGTERM);
  EXPECT_GE(node.wait(20s), 0) << node.log();
}

} // namespace
} // namespace postrider::testing
