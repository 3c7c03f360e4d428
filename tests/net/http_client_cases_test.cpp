#include "tests/net/http_client_fixture.hpp"

#include <atomic>

// Responses that some other product fell over, sent by a real receiver.

namespace postrider::net {
namespace {

const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string ok0 = ok + "Content-Length: 0\r\n\r\n";
const std::string failed0 = "HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n";

class HttpClientCases : public ::testing::Test {
protected:
  attempt_result post_in(std::chrono::milliseconds timeout) {
    auto request = request_to(there_.url());
    request.timeout = timeout;
    return post(client_, std::move(request));
  }

  /// The connection of the last response is of no more use.
  void expect_closed(const std::string& why) {
    EXPECT_EQ(client_.gauges().idle, 0U) << why;
  }

  receiver there_{always(answer(200))};
  http_client client_{loopback_allowed()};
};

// RESP-01
TEST_F(HttpClientCases, TakesNoContentAtItsWordAndAtOnce) {
  const struct {
    std::string response;
    bool reusable;
  } table[]{
      {"HTTP/1.1 204 No Content\r\n\r\n", true},
      {"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok", false},
      {"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"
       "0\r\n\r\n",
       false},
  };
  for (const auto& each : table) {
    there_.behave(always({write(each.response), keep}));
    const auto from = std::chrono::steady_clock::now();
    EXPECT_EQ(post(client_, there_.url()).status, 204);
    EXPECT_LT(std::chrono::steady_clock::now() - from, 900ms) << each.response;
    EXPECT_EQ(client_.gauges().idle, each.reusable ? 1U : 0U) << each.response;
    there_.behave(always(answer(201)));
    const auto next = post(client_, there_.url());
    EXPECT_EQ(next.status, 201) << "not by stray bytes";
    EXPECT_EQ(next.connection_reused, each.reusable);
  }
}

// RESP-02
TEST_F(HttpClientCases, DeliversByAny2xxWhateverItsBodyIs) {
  for (const auto* response :
       {"HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        "Content-Length: 4\r\n\r\noops",
        "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 299 X\r\nContent-Length: 0\r\n\r\n"}) {
    there_.behave(always({write(response), keep}));
    const auto before = there_.arrivals().size();
    const auto result = post(client_, there_.url());
    EXPECT_EQ(result.status.value_or(0) / 100, 2) << response;
    EXPECT_EQ(result.error, attempt_error::none) << response;
    EXPECT_EQ(there_.arrivals().size(), before + 1) << response;
  }
}

// RESP-04
TEST_F(HttpClientCases, JudgesTheNextDeliveryByItsOwnResponseOnly) {
  const script first[]{
      {write(ok + "Content-Length: 10\r\n\r\nabc"), close_now},
      {write(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
       pause(1500ms), write("0\r\n\r\n"), keep},
      {write(ok + "Content-Length: 2\r\n\r\nok" + failed0), keep},
  };
  for (const auto& each : first) {
    there_.behave(in_turn({each, answer(202)}));
    EXPECT_EQ(post(client_, there_.url()).status, 200);
    const auto next = post(client_, there_.url());
    EXPECT_EQ(next.status, 202) << each[0].bytes;
    EXPECT_FALSE(next.connection_reused) << each[0].bytes;
  }
}

// RESP-05
TEST_F(HttpClientCases, WaitsForTheFinalResponseBehindInterimOnes) {
  for (const auto* interim :
       {"HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n"}) {
    there_.behave(always({write(interim + ok0), keep}));
    EXPECT_EQ(post(client_, there_.url()).status, 200) << interim;
  }
  // Without end: the deadline, or the sixth when they come fast.
  const std::string processing = "HTTP/1.1 102 Processing\r\n\r\n";
  script slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(write(processing));
    slow.push_back(pause(100ms));
  }
  slow.push_back(pause(30s));
  there_.behave(always(slow));
  auto result = post_in(350ms);
  EXPECT_EQ(result.error, attempt_error::timeout_response);
  EXPECT_EQ(result.status, std::nullopt);
  EXPECT_LT(result.timings.total, 800ms);
  there_.behave(always({{step::kind::endless, processing, 0ms}}));
  result = post_in(5s);
  EXPECT_EQ(result.error, attempt_error::malformed_response);
  EXPECT_EQ(result.status, std::nullopt);
  // Nobody asked for another protocol.
  there_.behave(always({write("HTTP/1.1 101 Switching Protocols\r\n"
                              "Upgrade: websocket\r\n"
                              "Connection: Upgrade\r\n\r\n"),
                        keep}));
  result = post_in(5s);
  EXPECT_EQ(result.error, attempt_error::malformed_response);
  EXPECT_EQ(result.status, std::nullopt);
  expect_closed("101");
}

// RESP-17
TEST_F(HttpClientCases, PoolsNoConnectionWhoseBodyHasTwoLengths) {
  for (const auto* response :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: "
        "9\r\n\r\nok"}) {
    there_.behave(always({write(response), keep}));
    EXPECT_EQ(post(client_, there_.url()).status, 200) << response;
    expect_closed(response);
  }
}

// HDR-05
TEST_F(HttpClientCases, ReadsResponseHeadersInAnyCase) {
  there_.behave(always(
      {write("HTTP/1.1 503 X\r\ntransfer-encoding: chunked\r\nretry-after: 7"
             "\r\nlocation: /x\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
       keep}));
  for (const bool reused : {false, true}) {
    const auto result = post(client_, there_.url());
    EXPECT_EQ(result.body_excerpt, "ok");
    EXPECT_EQ(result.connection_reused, reused);
    EXPECT_EQ(find_header(result.headers, "Retry-After"), "7");
    EXPECT_EQ(find_header(result.headers, "Location"), "/x");
  }
}

// HDR-07: a receiver of the time of HTTP/1.0.
TEST_F(HttpClientCases, SaysHowLongItsBodyIs) {
  there_.behave([](const arrival& got) -> script {
    const bool good = got.find("content-length") == "9"
                      && got.find("transfer-encoding").empty();
    return {write(good ? "HTTP/1.0 200 OK\r\n\r\n"
                       : "HTTP/1.0 411 Length Required\r\n\r\n"),
            close_now};
  });
  EXPECT_EQ(post(client_, request_to(there_.url(), "{\"a\":123}")).status, 200);
}

// HDR-08
TEST_F(HttpClientCases, DeliversInSpiteOfHeadersWithoutMeasure) {
  std::string many;
  for (int i = 0; i < 10'000; ++i)
    many += "X-N: aaaaaaaa\r\n";
  for (const auto& headers :
       {many + "\r\n", "X-N: " + std::string(4 << 20, 'a') + "\r\n\r\n"}) {
    there_.behave(always({write(ok + headers), keep}));
    const auto result = post(client_, there_.url());
    EXPECT_EQ(result.status, 200);
    EXPECT_EQ(result.error, attempt_error::headers_too_large);
    std::size_t kept = 0;
    for (const auto& each : result.headers)
      kept += each.name.size() + each.value.size();
    EXPECT_LE(kept, std::size_t{64} << 10);
    expect_closed("headers too large");
  }
  script dribble{write(ok)};
  for (int i = 0; i < 40; ++i) {
    dribble.push_back(write("X-N: " + std::string(1017, 'a') + "\r\n"));
    dribble.push_back(pause(25ms));
  }
  there_.behave(always(dribble));
  const auto result = post_in(400ms);
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.error, attempt_error::timeout_response);
  EXPECT_LT(result.timings.total, 900ms);
}

// RESP-16
TEST_F(HttpClientCases, MakesOneRequestForOneAttemptHoweverItEnds) {
  there_.behave(always({pause(5ms), reset_now}));
  for (std::size_t i = 1; i <= 20; ++i) {
    EXPECT_EQ(post(client_, there_.url()).error,
              attempt_error::connection_reset);
    EXPECT_EQ(there_.arrivals().size(), i);
  }
}

// URL-12
TEST_F(HttpClientCases, MakesNoSecondRequestForARedirect) {
  receiver other{always(answer(200))};
  for (const auto& response :
       {std::string{"HTTP/1.1 302 Found\r\nLocation: "
                    "http://169.254.169.254/latest/\r\n"
                    "Content-Length: 0\r\n\r\n"},
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: " + other.url()
            + "\r\nContent-Length: 0\r\n\r\n",
        std::string{"HTTP/1.1 301 Moved Permanently\r\n"
                    "Content-Length: 0\r\n\r\n"}}) {
    there_.behave(always({write(response), keep}));
    auto request = request_to(there_.url());
    request.headers.add("Authorization", "Bearer secret-1");
    EXPECT_EQ(post(client_, std::move(request)).status.value_or(0) / 100, 3);
  }
  EXPECT_EQ(other.connections(), 0);
  EXPECT_EQ(there_.arrivals().size(), 3U);
}

// NET-07: what is closed waits in TIME_WAIT, so few may be opened.
TEST_F(HttpClientCases, OpensFewConnectionsForManyRequests) {
  constexpr int rounds = 3000;
  constexpr int at_once = 20;
  std::atomic<int> begun{at_once};
  std::atomic<int> delivered{0};
  std::function<void(attempt_result)> next = [&](const attempt_result& result) {
    delivered += result.status == 200;
    if (begun.fetch_add(1) < rounds)
      client_.send(request_to(there_.url()), next);
  };
  for (int i = 0; i < at_once; ++i)
    client_.send(request_to(there_.url()), next);
  EXPECT_TRUE(eventually([&] { return delivered == rounds; }));
  client_.stop();
  EXPECT_LT(there_.connections(), rounds / 50);
}

} // namespace
} // namespace postrider::net
