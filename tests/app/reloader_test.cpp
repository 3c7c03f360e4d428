#include "app/reloader.hpp"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace postrider::app {
namespace {

using namespace std::chrono_literals;

class Reloader : public ::testing::Test {
protected:
  Reloader() { next_.whole.api.key = "0123456789abcdef"; }

  reloader& made() {
    if (!reloader_)
      reloader_.emplace(
          next_, reloader::parts{
                     [this] { return next_; },
                     [this](const auto& wanted, const auto&) {
                       if (!unusable_.empty())
                         throw std::runtime_error{unusable_};
                       return [this, wanted] { forced_ = wanted; };
                     },
                     [this](actors::level, std::string_view,
                            const std::string& text) { log_ += text + "\n"; }});
    return *reloader_;
  }

  api::config_report reload() { return run(&reloader::reload); }
  api::config_report check() { return run(&reloader::check); }

  config::reading next_;
  std::string unusable_;
  std::optional<config::config> forced_;
  std::string log_;

private:
  api::config_report run(void (reloader::*what)(reloader::callback)) {
    std::promise<api::config_report> promise;
    (made().*what)([&](api::config_report report) {
      promise.set_value(std::move(report));
    });
    return promise.get_future().get();
  }

  std::optional<reloader> reloader_; ///< the last: it uses the others
};

TEST_F(Reloader, PutsInForceWhatHasChanged) {
  made();
  next_.whole.http.timeout = 9s;
  const auto report = reload();
  EXPECT_TRUE(report.faults.empty());
  ASSERT_EQ(report.changes.size(), 1U);
  EXPECT_EQ(report.changes[0].key, "http.timeout");
  ASSERT_TRUE(forced_);
  EXPECT_EQ(forced_->http.timeout, 9s);
  EXPECT_EQ(made().running().http.timeout, 9s);
  EXPECT_TRUE(made().status().last_reload_successful);
  EXPECT_GT(made().status().last_success_seconds, 1'700'000'000);
  EXPECT_NE(log_.find("reloaded; changed: http.timeout"), std::string::npos);
}

TEST_F(Reloader, KeepsWhatWasInForceOnAnyFault) {
  made();
  next_.whole.http.timeout = 9s;
  next_.faults = {{"postrider.toml:3:1", "unknown key a.b"},
                  {"postrider.toml:4:1", "unknown key a.c"}};
  const auto report = reload();
  EXPECT_EQ(report.faults.size(), 2U);
  EXPECT_FALSE(forced_);
  EXPECT_EQ(made().running().http.timeout, 15s);
  EXPECT_FALSE(made().status().last_reload_successful);
  EXPECT_NE(log_.find("postrider.toml:4:1: unknown key a.c"),
            std::string::npos);
  EXPECT_NE(log_.find("not reloaded: 2 errors; what was in force stays"),
            std::string::npos);
  next_.faults.clear();
  EXPECT_TRUE(reload().faults.empty());
  EXPECT_TRUE(made().status().last_reload_successful);
}

TEST_F(Reloader, KeepsWhatWasInForceWhenAPartCantBeMade) {
  made();
  unusable_ = "no certificates can be read from the CA file 'x'";
  next_.whole.http.timeout = 9s;
  const auto report = reload();
  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_EQ(report.faults[0].what, unusable_);
  EXPECT_FALSE(forced_);
  EXPECT_EQ(made().running().http.timeout, 15s);
}

TEST_F(Reloader, NamesWhatWaitsForARestartUntilItIsTakenBack) {
  made();
  next_.whole.node.threads = 3;
  next_.whole.http.timeout = 9s;
  reload();
  EXPECT_EQ(forced_->node.threads, 0U);
  EXPECT_EQ(forced_->http.timeout, 9s);
  EXPECT_EQ(made().state().restart_required,
            (std::vector<std::string>{"node.threads"}));
  EXPECT_TRUE(made().status().restart_required);
  EXPECT_NE(log_.find("in force after a restart only: node.threads"),
            std::string::npos);
  next_.whole.node.threads = 0;
  reload();
  EXPECT_FALSE(made().status().restart_required);
}

TEST_F(Reloader, RefusesWhatCantStandBesideAKeyThatWaits) {
  made();
  // Together they are right, but the lease stays at 20 s until a restart.
  next_.whole.delivery.lease = 60s;
  next_.whole.http.timeout = 25s;
  const auto report = reload();
  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_NE(report.faults[0].what.find("changes by a restart only"),
            std::string::npos);
  EXPECT_FALSE(forced_);
}

TEST_F(Reloader, OnlyLooksWhenItIsToCheck) {
  made();
  next_.whole.api.key = "fedcba9876543210";
  const auto report = check();
  ASSERT_EQ(report.changes.size(), 1U);
  EXPECT_EQ(report.changes[0].key, "api.key");
  EXPECT_EQ(report.changes[0].after.find("fedc"), std::string::npos);
  EXPECT_FALSE(forced_);
  next_.faults = {{"x", "y"}};
  EXPECT_EQ(check().faults.size(), 1U);
  EXPECT_TRUE(made().status().last_reload_successful);
  EXPECT_TRUE(log_.empty());
}

TEST_F(Reloader, AnswersEveryCallerWhenItEnds) {
  std::atomic<int> answers{0};
  for (int i = 0; i < 40; ++i)
    made().check([&](const api::config_report&) { ++answers; });
  while (answers < 40)
    std::this_thread::yield();
  EXPECT_EQ(answers, 40);
}

} // namespace
} // namespace postrider::app
