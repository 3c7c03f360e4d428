#include "tests/e2e/platform.hpp"
#include "tests/support/eventually.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace postrider::testing {
namespace {

using nlohmann::json;

std::vector<json> lines_of(const std::string& log) {
  std::vector<json> out;
  std::istringstream in{log};
  for (std::string line; std::getline(in, line);)
    out.push_back(json::parse(line)); // throws for what is no JSON
  return out;
}

bool has(const std::vector<json>& lines, const std::string& level,
         const std::string& text) {
  for (const auto& one : lines)
    if (one.at("level") == level
        && one.at("msg").get<std::string>().find(text) != std::string::npos)
      return true;
  return false;
}

TEST(Log, TellsWhatHappenedAndNothingSecret) {
  receiver good{[](const arrival&) { return answer(204); }};
  receiver bad{[](const arrival&) { return answer(400, "no-thank-you"); }};
  platform here;
  auto& node = here.start({{"LOG__LEVEL", "debug"}});
  here.tenant();
  here.endpoint(good.url("/hook?token=in-the-query"), "good");
  const auto secret = here.secret();
  const auto failing = here.endpoint(
      bad.url(), "bad", R"("headers":{"X-Key":"customer-header-value"})");
  const auto event = here.send("bad", R"({"card":"payload-marker"})");
  here.send("good", R"({"card":"payload-marker"})");
  ASSERT_TRUE(here.settled());
  node.signal(SIGTERM);
  ASSERT_EQ(node.wait(), 0);
  const auto text = node.log();
  const auto lines = lines_of(text);
  EXPECT_TRUE(has(lines, "info", "took the lease of"));
  EXPECT_TRUE(has(lines, "info", "back")); // a lease
  EXPECT_TRUE(has(lines, "info", "ready"));
  EXPECT_TRUE(has(lines, "info", "draining"));
  EXPECT_TRUE(has(lines, "info", "stopped"));
  EXPECT_TRUE(has(lines, "debug", "answered 204"));
  const json* failed = nullptr;
  for (const auto& one : lines)
    if (one.at("msg") == "a delivery failed for good: rejected")
      failed = &one;
  ASSERT_TRUE(failed) << text;
  EXPECT_EQ(failed->at("level"), "info");
  EXPECT_EQ(failed->at("event"), event);
  EXPECT_EQ(failed->at("endpoint"), failing);
  EXPECT_EQ(failed->at("attempt"), 0);
  EXPECT_TRUE(failed->at("delivery").get<std::string>().starts_with("dlv_"));
  EXPECT_GE(failed->at("duration_ms").get<int>(), 0);
  for (const auto& hidden :
       {secret, here.secret(), here.key(), std::string{"payload-marker"},
        std::string{"no-thank-you"}, std::string{"in-the-query"},
        std::string{"customer-header-value"}})
    EXPECT_EQ(text.find(hidden), std::string::npos) << hidden;
  for (const auto& one : lines)
    for (const auto* name : {"ts", "level", "msg", "node", "component"})
      EXPECT_TRUE(one.contains(name)) << one;
}

TEST(Log, HasNoLineForAnAttemptAboveDebug) {
  receiver good{[](const arrival&) { return answer(204); }};
  platform here;
  auto& node = here.start();
  here.tenant();
  here.endpoint(good.url());
  here.send("good", "{}");
  ASSERT_TRUE(here.settled());
  node.signal(SIGTERM);
  ASSERT_EQ(node.wait(), 0);
  EXPECT_FALSE(has(lines_of(node.log()), "debug", "answered"));
}

} // namespace
} // namespace postrider::testing
