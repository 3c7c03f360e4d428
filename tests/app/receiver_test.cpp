#include "app/receiver.hpp"

#include "app/api_client.hpp"
#include "net/http_client.hpp"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace postrider {

using namespace std::chrono_literals;

class Receiver : public ::testing::Test {
public:
  Receiver() { here.start(); }

  /// Posts a webhook signed with `key` and returns the status.
  int post(const std::string& path, const signing_key& signer,
           const std::string& attempt = "0") {
    const auto now = std::chrono::floor<std::chrono::seconds>(
        std::chrono::system_clock::now());
    net::http_request request;
    request.target = std::get<url>(parse_url(here.url(path)));
    request.body = std::make_shared<const std::string>("{}");
    request.headers = {
        {"webhook-id", "dlv_1"},
        {"webhook-timestamp", std::to_string(now.time_since_epoch().count())},
        {"webhook-signature", signer.sign("dlv_1", now, "{}")},
        {"X-Postrider-Event-Id", "evt_1"},
        {"X-Postrider-Sequence", "42"},
        {"X-Postrider-Attempt", attempt}};
    std::promise<attempt_result> done;
    client.send(std::move(request), [&](attempt_result result) {
      done.set_value(std::move(result));
    });
    return done.get_future().get().status.value_or(0);
  }

  static net::http_client_options loopback() {
    net::http_client_options options;
    options.guard.allow = {*parse_network("127.0.0.0/8")};
    return options;
  }

  const signing_key key = *signing_key::from_bytes(std::string(32, 'k'));
  const signing_key other = *signing_key::from_bytes(std::string(32, 'o'));
  std::vector<app::arrival> seen;
  app::receiver here{"127.0.0.1", 0,
                     [this](const app::arrival& one) { seen.push_back(one); }};
  net::http_client client{loopback()};
};

TEST_F(Receiver, TellsARightSignatureFromAWrongOne) {
  here.serve("/a", {.key = key});
  EXPECT_EQ(post("/a", key), 200);
  EXPECT_EQ(post("/a", other), 400);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].signature, app::signature_check::good);
  EXPECT_EQ(seen[1].signature, app::signature_check::bad);
  EXPECT_EQ(seen[0].event, "evt_1");
  EXPECT_EQ(seen[0].sequence, 42);
  EXPECT_EQ(seen[0].attempt, 0);
}

TEST_F(Receiver, FailsOnPurposeUpToAnAttempt) {
  here.serve("/a", {.fail_rate = 1, .fail_below = 2});
  EXPECT_EQ(post("/a", key, "0"), 503);
  EXPECT_EQ(post("/a", key, "1"), 503);
  EXPECT_EQ(post("/a", key, "2"), 200);
}

TEST_F(Receiver, AnswersLateWhereItIsToldTo) {
  here.serve("", {.status = 204, .latency = 50ms});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(post("/anything", key), 204);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 50ms);
}

TEST_F(Receiver, KnowsNoPathThatItWasNotTold) {
  EXPECT_EQ(post("/nowhere", key), 404);
}

} // namespace postrider
