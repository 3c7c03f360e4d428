#include "tests/net/http_server_fixture.hpp"

#include <atomic>
#include <future>
#include <thread>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using testing::exchange;
using testing::raw_client;

std::string post(std::string_view body, std::string_view more = "") {
  return "POST /x HTTP/1.1\r\nHost: h\r\n" + std::string{more}
         + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n"
         + std::string{body};
}

std::string chunked(std::string_view body) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx", body.size());
  return "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
         + std::string{size} + "\r\n" + std::string{body} + "\r\n0\r\n\r\n";
}

class http_server : public http_server_test {};

TEST_F(http_server, HandsOnTheRequestAsItCame) {
  serve();
  auto answer =
      exchange(port(), post(std::string{"a\0c", 3}, "X-One:  two \r\n"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, std::string("a\0c", 3));
  EXPECT_FALSE(answer->find("date").empty());
  auto request = requests().back();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/x");
  EXPECT_EQ(request.find("x-one"), "two");
  EXPECT_EQ(request.peer.substr(0, 10), "127.0.0.1:");
}

// K-08
TEST_F(http_server, AnswersPipelinedRequestsInOrder) {
  serve();
  raw_client client{port()};
  std::string bytes;
  for (int i = 0; i < 1000; ++i)
    bytes += post(std::to_string(i));
  std::thread sender{[&] { client.send(bytes); }};
  for (int i = 0; i < 1000; ++i) {
    auto answer = client.receive();
    ASSERT_TRUE(answer) << i;
    ASSERT_EQ(answer->body, std::to_string(i));
  }
  sender.join();
}

TEST_F(http_server, WaitsForAnAnswerBeforeTheNextRequestOfTheConnection) {
  std::mutex mutex;
  std::vector<net::http_server::respond> waiting;
  serve({}, [&](net::server_request, net::http_server::respond respond) {
    std::lock_guard lock{mutex};
    waiting.push_back(std::move(respond));
  });
  auto take = [&] {
    for (auto end = std::chrono::steady_clock::now() + 10s;
         std::chrono::steady_clock::now() < end; std::this_thread::yield()) {
      std::lock_guard lock{mutex};
      if (!waiting.empty())
        return std::exchange(waiting, {});
    }
    return std::exchange(waiting, {});
  };
  raw_client client{port()};
  client.send(post("1") + post("2"));
  auto first = take();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(requests().size(), 1u);
  first[0]({201, {}, "one"});
  first[0]({500, {}, "a second answer is ignored"});
  EXPECT_EQ(client.receive()->status, 201);
  auto second = take();
  ASSERT_EQ(second.size(), 1u);
  second[0]({202, {}, "two"});
  EXPECT_EQ(client.receive()->status, 202);
  server_.reset();
}

TEST_F(http_server, AnswersForAHandlerThatForgot) {
  serve({}, [](net::server_request, const net::http_server::respond&) {});
  EXPECT_EQ(exchange(port(), post(""))->status, 500);
  serve({}, [](net::server_request, const net::http_server::respond&) {
    throw std::runtime_error{"a defect"};
  });
  EXPECT_EQ(exchange(port(), post(""))->status, 500);
}

TEST_F(http_server, SpeaksHttp10) {
  serve();
  raw_client client{port()};
  client.send("GET / HTTP/1.0\r\n\r\n");
  auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->find("connection"), "close");
  client.half_close();
  EXPECT_TRUE(client.closed());
  raw_client lasting{port()};
  for (int i = 0; i < 2; ++i) {
    lasting.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    answer = lasting.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->find("connection"), "keep-alive");
  }
}

TEST_F(http_server, ClosesWhenAskedTo) {
  serve();
  raw_client client{port()};
  client.send(post("a", "Connection: foo, Close\r\n"));
  EXPECT_EQ(client.receive()->find("connection"), "close");
  client.half_close();
  EXPECT_TRUE(client.closed());
}

TEST_F(http_server, SendsNoBodyToHeadOrWithANoContentStatus) {
  serve({}, [](net::server_request request,
               const net::http_server::respond& respond) {
    respond({request.target == "/none" ? 204 : 200, {}, "body"});
  });
  raw_client client{port()};
  client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.receive(true)->find("content-length"), "4");
  client.send("GET /none HTTP/1.1\r\nHost: h\r\n\r\n");
  auto none = client.receive();
  EXPECT_EQ(none->status, 204);
  EXPECT_EQ(none->find("content-length"), "");
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.receive()->body, "body");
}

// ING-12
TEST_F(http_server, HoldsTheBodyLimitForBothFramings) {
  net::http_server_options options;
  options.body_limit = 1000;
  serve(options);
  std::string exact(1000, 'x');
  EXPECT_EQ(exchange(port(), post(exact))->body, exact);
  EXPECT_EQ(exchange(port(), chunked(exact))->body, exact);
  EXPECT_EQ(exchange(port(), post(exact + "x"))->status, 413);
  EXPECT_EQ(exchange(port(), chunked(exact + "x"))->status, 413);
  EXPECT_EQ(requests().size(), 2u);
}

// K-13: the answer is there although the sender has not finished.
TEST_F(http_server, LetsASenderOfTooMuchReadTheAnswer) {
  net::http_server_options options;
  options.body_limit = 1000;
  serve(options);
  raw_client client{port()};
  std::string much(4 * 1024 * 1024, 'x');
  EXPECT_TRUE(client.send("POST /x HTTP/1.1\r\nHost: h\r\n"
                          "Content-Length: 1073741824\r\n\r\n"
                          + much));
  auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  EXPECT_TRUE(requests().empty());
}

// K-10, RELIABILITY 6.2 no. 9
TEST_F(http_server, GoesAheadWhenExpectedToAndKnowsNoOtherExpectation) {
  serve();
  raw_client client{port()};
  client.send("POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
              "Content-Length: 2\r\n\r\n");
  EXPECT_EQ(client.receive(true)->status, 100);
  client.send("ab");
  EXPECT_EQ(client.receive()->body, "ab");
  client.send(post("", "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.receive()->status, 200);
  EXPECT_EQ(exchange(port(), post("a", "Expect: 200-maybe\r\n"))->status, 417);
}

// ING-08, K-04
TEST_F(http_server, TakesNoCompressedBody) {
  serve();
  for (auto coding : {"gzip", "gzip, gzip", "deflate", "br"})
    EXPECT_EQ(exchange(port(), post("x", std::string{"Content-Encoding: "}
                                             + coding + "\r\n"))
                  ->status,
              415);
  EXPECT_TRUE(requests().empty());
  EXPECT_EQ(
      exchange(port(), post("x", "Content-Encoding: identity\r\n"))->status,
      200);
}

// K-07
TEST_F(http_server, BoundsTheHeaders) {
  serve();
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += "A: b\r\n";
  EXPECT_EQ(exchange(port(), post("", many))->status, 431);
  auto line = "A: " + std::string(64 * 1024, 'x') + "\r\n";
  EXPECT_EQ(exchange(port(), post("", line))->status, 431);
}

// ING-06, ING-05, K-02: total deadlines, whatever trickles in.
TEST_F(http_server, EndsSlowHeadsSlowBodiesAndIdleConnections) {
  net::http_server_options options;
  options.header_timeout = options.body_timeout = options.idle_timeout = 100ms;
  serve(options);
  raw_client idle{port()};
  raw_client head{port()};
  head.send("POST /x HT");
  raw_client body{port()};
  body.send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nab");
  raw_client zeros{port()};
  zeros.send("POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
             "000");
  EXPECT_TRUE(idle.closed());
  EXPECT_EQ(head.receive()->status, 408);
  EXPECT_EQ(body.receive()->status, 408);
  EXPECT_EQ(zeros.receive()->status, 408);
  EXPECT_TRUE(requests().empty());
}

// ING-06 in short: each byte comes in time and still the whole must; nobody
// else has to wait.
TEST_F(http_server, ServesOthersWhileManyConnectionsDribble) {
  net::http_server_options options;
  options.header_timeout = options.body_timeout = 1500ms;
  serve(options);
  std::vector<std::unique_ptr<raw_client>> slow;
  const std::string head = "POST /x HTTP/1.1\r\nHost: h\r\n";
  const std::string whole = head + "Content-Length: 1000000\r\n\r\n";
  for (int i = 0; i < 400; ++i) {
    slow.push_back(std::make_unique<raw_client>(port()));
    slow.back()->send(i % 2 ? head : whole);
  }
  const auto from = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration worst{};
  raw_client other{port()};
  while (std::chrono::steady_clock::now() - from < 1300ms) {
    for (auto& each : slow)
      each->send("a");
    const auto asked = std::chrono::steady_clock::now();
    other.send(post("1"));
    ASSERT_TRUE(other.receive());
    worst = std::max(worst, std::chrono::steady_clock::now() - asked);
    std::this_thread::yield();
  }
  EXPECT_LT(worst, 500ms);
  for (auto& each : slow) {
    const auto answer = each->receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 408);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - from, 5s);
}

TEST_F(http_server, DoesNotRunARequestThatIsCutShort) {
  serve();
  raw_client client{port()};
  client.send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc");
  client.half_close();
  EXPECT_TRUE(client.closed());
  EXPECT_TRUE(requests().empty());
}

TEST_F(http_server, TurnsAwayWhatIsAboveItsConnectionLimit) {
  net::http_server_options options;
  options.max_connections = 2;
  serve(options);
  raw_client one{port()};
  raw_client two{port()};
  one.send(post("1"));
  two.send(post("2"));
  ASSERT_TRUE(one.receive());
  ASSERT_TRUE(two.receive());
  raw_client three{port()};
  EXPECT_EQ(three.receive()->status, 503);
  one.send(post("1"));
  EXPECT_EQ(one.receive()->status, 200);
}

TEST_F(http_server, FinishesWhatItHandlesWhenItStops) {
  std::promise<net::http_server::respond> taken;
  serve({}, [&](net::server_request, net::http_server::respond respond) {
    taken.set_value(std::move(respond));
  });
  raw_client idle{port()};
  raw_client busy{port()};
  busy.send(post(""));
  auto respond = taken.get_future().get();
  std::thread stopper{[&] { server_->stop(10s); }};
  EXPECT_TRUE(idle.closed());
  respond({200, {}, "done"});
  auto answer = busy.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "done");
  EXPECT_EQ(answer->find("connection"), "close");
  busy.half_close();
  stopper.join();
}

TEST_F(http_server, SurvivesAnAnswerThatComesAfterItsEnd) {
  std::promise<net::http_server::respond> taken;
  serve({}, [&](net::server_request, net::http_server::respond respond) {
    taken.set_value(std::move(respond));
  });
  raw_client client{port()};
  client.send(post(""));
  auto respond = taken.get_future().get();
  server_.reset();
  respond({200, {}, "late"});
  EXPECT_TRUE(client.closed());
}

TEST_F(http_server, SaysWhichAddressItCannotHave) {
  serve();
  net::http_server_options options;
  options.port = port();
  try {
    net::http_server second{options, nullptr};
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string{error.what()}.find("127.0.0.1:"), std::string::npos);
  }
}

TEST_F(http_server, ServesManyConnectionsOnSeveralThreads) {
  net::http_server_options options;
  options.threads = 2;
  serve(options);
  std::atomic<int> good = 0;
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c)
    clients.emplace_back([&, c] {
      raw_client client{port()};
      for (int i = 0; i < 200; ++i) {
        auto body = std::to_string(c * 1000 + i);
        client.send(i % 2 ? chunked(body) : post(body));
        auto answer = client.receive();
        if (answer && answer->body == body)
          ++good;
      }
    });
  for (auto& client : clients)
    client.join();
  EXPECT_EQ(good, 1600);
}

} // namespace
} // namespace postrider
