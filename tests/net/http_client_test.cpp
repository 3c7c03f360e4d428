#include "tests/net/http_client_fixture.hpp"

#include <algorithm>

namespace postrider::net {
namespace {

const std::string ok0 = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

TEST(HttpClient, SendsTheBytesItWasGiven) { // G11, HDR-07
  receiver there{always(answer(200, "thanks", {{"X-Seen", "yes"}}))};
  http_client client{loopback_allowed()};
  auto request = request_to(there.url("/a%3Ab?x=%2F&y"),
                            std::string{"{\"a\":\0 1}\r\n\xff", 12});
  request.headers.add("webhook-id", "msg_1");
  const auto body = *request.body;
  const auto result = post(client, std::move(request));
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.error, attempt_error::none);
  EXPECT_EQ(result.body_excerpt, "thanks");
  EXPECT_EQ(find_header(result.headers, "x-seen"), "yes");
  EXPECT_FALSE(result.connection_reused);
  const auto seen = there.arrivals().at(0);
  EXPECT_EQ(seen.target, "/a%3Ab?x=%2F&y");
  EXPECT_EQ(seen.body, body);
  EXPECT_EQ(seen.find("host"), "127.0.0.1:" + std::to_string(there.port()));
  EXPECT_EQ(seen.find("content-length"), "12");
  EXPECT_EQ(seen.find("content-type"), "application/json");
  EXPECT_EQ(seen.find("webhook-id"), "msg_1");
  EXPECT_EQ(seen.find("transfer-encoding"), "");
  EXPECT_EQ(seen.find("expect"), "");
  EXPECT_EQ(seen.headers.size(), 4U);
}

TEST(HttpClient, SendsAnEmptyAndALargeBody) {
  receiver there{always(answer(200))};
  http_client client{loopback_allowed()};
  auto empty = request_to(there.url());
  empty.body = nullptr;
  EXPECT_EQ(post(client, std::move(empty)).status, 200);
  const std::string large(8 << 20, 'x');
  EXPECT_EQ(post(client, request_to(there.url(), large)).status, 200);
  EXPECT_EQ(there.arrivals().at(0).find("content-length"), "0");
  EXPECT_EQ(there.arrivals().at(1).body, large);
  EXPECT_EQ(there.connections(), 1);
}

TEST(HttpClient, DecidesByTheStatusLineWhateverTheBodyDoes) { // S3.9, G6
  const script scripts[]{
      {write("HTTP/1.1 200 OK\r\n\r\nsome"), close_now},
      {write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), close_now},
      {write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), pause(20ms),
       reset_now},
      {write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxx\r\n"),
       keep},
      {write("HTTP/1.1 200 OK\r\n"), pause(20ms), reset_now},
      {write("HTTP/1.1 200 OK\r\nA: " + std::string(100'000, 'x')),
       keep}, // HDR-08
      {write("HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n"),
       {step::kind::endless, std::string(65'536, 'x'), 0ms}},
      {write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
       {step::kind::endless, "1000\r\n" + std::string(4096, 'x') + "\r\n",
        0ms}},
  };
  receiver there{always(answer(200))};
  http_client client{loopback_allowed()};
  for (const auto& each : scripts) {
    there.behave(always(each));
    const auto before = there.arrivals().size();
    const auto result = post(client, there.url());
    EXPECT_EQ(result.status, 200) << each[0].bytes.substr(0, 60);
    EXPECT_EQ(there.arrivals().size(), before + 1);
    EXPECT_FALSE(result.connection_reused); // the one before was dirty (D-03)
  }
}

TEST(HttpClient, FailsWhenTheConnectionEndsBeforeTheStatusLine) { // C-05, C-06
  receiver::options early;
  early.answer_after_head = true;
  receiver after_head{always({reset_now}), early};
  receiver after_body{always({reset_now})};
  receiver closing{always({close_now})};
  receiver in_status{always({write("HTTP/1.1 20"), pause(20ms), reset_now})};
  receiver in_status_end{always({write("HTTP/1.1 20"), close_now})};
  http_client client{loopback_allowed()};
  const auto from = std::chrono::steady_clock::now();
  for (const auto* each :
       {&after_head, &after_body, &closing, &in_status, &in_status_end}) {
    const auto result = post(client, request_to(each->url(), "payload"));
    EXPECT_EQ(result.status, std::nullopt);
    EXPECT_EQ(result.error, attempt_error::connection_reset);
    EXPECT_EQ(each->connections(), 1); // RESP-16: no hidden second try
  }
  EXPECT_LT(std::chrono::steady_clock::now() - from, 3s);
}

TEST(HttpClient, FailsWhenTheConnectionIsResetAtOnce) { // C-05
  receiver::options early;
  early.reset_at_accept = true;
  receiver there{always(answer(200)), early};
  http_client client{loopback_allowed()};
  const auto result = post(client, there.url());
  EXPECT_EQ(result.status, std::nullopt);
  // Whether the connect or the first write meets the reset is up to chance.
  EXPECT_TRUE(result.error == attempt_error::connection_reset
              || result.error == attempt_error::connect_failed);
  EXPECT_EQ(there.connections(), 1);
}

TEST(HttpClient, JudgesAnAnswerThatComesBeforeTheBodyIsSent) { // 6.3 row 26
  for (const int status : {200, 413}) {
    receiver::options early;
    early.answer_after_head = true;
    receiver there{always({write("HTTP/1.1 " + std::to_string(status)
                                 + " X\r\nContent-Length: 0\r\n\r\n"),
                           pause(50ms), reset_now}),
                   early};
    http_client client{loopback_allowed()};
    const auto result =
        post(client, request_to(there.url(), std::string(32 << 20, 'x')));
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(client.gauges().idle, 0U);
  }
}

TEST(HttpClient, EndsASilentResponseAtTheDeadline) { // 6.3 rows 15, 25, 28
  const script scripts[]{
      {pause(30s)},
      {write("HTTP/1.1 20"), pause(30s)},
      {write("HTTP/1.1 100 Continue\r\n\r\n"), pause(30s)},
      {pause(900ms), write(ok0), keep},
  };
  for (const auto& each : scripts) {
    receiver there{always(each)};
    http_client client{loopback_allowed()};
    auto request = request_to(there.url());
    request.timeout = 300ms;
    const auto from = std::chrono::steady_clock::now();
    const auto result = post(client, std::move(request));
    const auto took = std::chrono::steady_clock::now() - from;
    EXPECT_EQ(result.error, attempt_error::timeout_response);
    EXPECT_EQ(result.status, std::nullopt);
    EXPECT_GE(took, 300ms);
    EXPECT_LT(took, 800ms);
    EXPECT_EQ(client.gauges().idle + client.gauges().active, 0U);
  }
}

TEST(HttpClient, EndsARequestThatIsNotReadAtTheDeadline) {
  receiver::options early;
  early.answer_after_head = true;
  receiver there{always({pause(30s)}), early};
  http_client client{loopback_allowed()};
  auto request = request_to(there.url(), std::string(64 << 20, 'x'));
  request.timeout = 300ms;
  EXPECT_EQ(post(client, std::move(request)).error,
            attempt_error::write_timeout);
}

TEST(HttpClient, GivesABodyAfterTheStatusAShortGrace) { // C-13, 6.3 row 6
  receiver there{always(
      {write("HTTP/1.1 201 C\r\nContent-Length: 9\r\n\r\nab"), pause(30s)})};
  http_client client{loopback_allowed()};
  const auto from = std::chrono::steady_clock::now();
  auto result = post(client, there.url());
  const auto took = std::chrono::steady_clock::now() - from;
  EXPECT_EQ(result.status, 201);
  EXPECT_EQ(result.error, attempt_error::none);
  EXPECT_EQ(result.body_excerpt, "ab");
  EXPECT_TRUE(result.body_truncated);
  EXPECT_GE(took, 900ms);
  EXPECT_LT(took, 2s);
  auto hurried = request_to(there.url());
  hurried.timeout = 200ms;
  result = post(client, std::move(hurried));
  EXPECT_EQ(result.status, 201);
  EXPECT_LT(result.timings.total, 600ms);
}

TEST(HttpClient, NotesAHeadThatNeverEndsBesideItsStatus) { // HDR-08
  receiver there{always({write("HTTP/1.1 200 OK\r\nA: b"), pause(30s)})};
  http_client client{loopback_allowed()};
  auto request = request_to(there.url());
  request.timeout = 200ms;
  const auto result = post(client, std::move(request));
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.error, attempt_error::timeout_response);
}

TEST(HttpClient, ReadsAResponseThatComesByteByByte) {
  const std::string bytes =
      "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 202 A\r\nTransfer-Encoding: "
      "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  script steps;
  for (const char c : bytes) {
    steps.push_back(write(std::string(1, c)));
    steps.push_back(pause(1ms));
  }
  steps.push_back(keep);
  receiver there{always(steps)};
  http_client client{loopback_allowed()};
  for (const bool reused : {false, true}) {
    const auto result = post(client, there.url());
    EXPECT_EQ(result.status, 202);
    EXPECT_EQ(result.body_excerpt, "hello");
    EXPECT_EQ(result.connection_reused, reused);
  }
}

TEST(HttpClient, FollowsNoRedirect) { // D-08, URL-12
  receiver trap{always(answer(200))};
  receiver there{
      always(answer(307, "", {{"Location", trap.url()}, {"Refresh", "0"}}))};
  http_client client{loopback_allowed()};
  const auto result = post(client, there.url());
  EXPECT_EQ(result.status, 307);
  EXPECT_EQ(find_header(result.headers, "location"), trap.url());
  EXPECT_EQ(trap.connections(), 0);
  EXPECT_EQ(there.arrivals().size(), 1U);
}

TEST(HttpClient, SendsNothingThatWouldEndAHeaderLine) { // HDR-01
  receiver there{always(answer(200))};
  http_client client{loopback_allowed()};
  const header bad[]{{"X-A", "a\r\nX-Injected: 1"},
                     {"X-B", "a\nb"},
                     {"X-C\r\nY", "1"},
                     {"X-D", std::string{"a\0b", 3}},
                     {"", "x"},
                     {"X E", "1"},
                     {"Content-Length", "5"},
                     {"transfer-encoding", "chunked"},
                     {"HOST", "other"}};
  for (const auto& each : bad) {
    auto request = request_to(there.url());
    request.headers.add(each.name, each.value);
    const auto result = post(client, std::move(request));
    EXPECT_EQ(result.error, attempt_error::internal) << each.name;
    EXPECT_FALSE(result.detail.empty());
  }
  EXPECT_EQ(there.connections(), 0);
}

TEST(HttpClient, SaysWhyItCannotConnect) {
  std::string nobody;
  {
    receiver gone{always(answer(200))};
    nobody = gone.url();
  }
  http_client client{loopback_allowed()};
  EXPECT_EQ(post(client, nobody).error, attempt_error::connect_refused);
}

} // namespace
} // namespace postrider::net
