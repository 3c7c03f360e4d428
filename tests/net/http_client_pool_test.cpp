#include "tests/net/http_client_fixture.hpp"
#include "tests/support/receiver_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>

namespace postrider::net {
namespace {

const std::string ok0 = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

TEST(HttpClientPool, KeepsOneConnectionForRequestsInTurn) { // NET-07, HDR-05
  receiver there{always({write("HTTP/1.1 200 OK\r\ncontent-length: "
                               "2\r\nconnection: keep-alive\r\n\r\nok"),
                         keep})};
  http_client client{loopback_allowed()};
  for (int i = 0; i < 100; ++i) {
    const auto result = post(client, there.url());
    EXPECT_EQ(result.body_excerpt, "ok");
    EXPECT_EQ(result.connection_reused, i > 0);
  }
  EXPECT_EQ(there.connections(), 1);
  EXPECT_EQ(client.gauges().idle, 1U);
  EXPECT_EQ(client.gauges().active, 0U);
}

TEST(HttpClientPool, SharesNoConnectionBetweenOrigins) {
  receiver one{always(answer(200))};
  receiver two{always(answer(201))};
  http_client client{loopback_allowed()};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(post(client, one.url()).status, 200);
    EXPECT_EQ(post(client, two.url()).status, 201);
  }
  const auto by_name = "http://localhost:" + std::to_string(one.port()) + "/";
  EXPECT_FALSE(post(client, by_name).connection_reused);
  EXPECT_EQ(one.connections(), 2);
  EXPECT_EQ(two.connections(), 1);
}

// D-11, RESP-04: the surplus comes with the response, or when it is idle.
TEST(HttpClientPool, NeverTakesAnUnaskedResponseForAnAnswer) {
  const std::string surplus = "HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n";
  const script scripts[]{{write(ok0 + surplus), keep},
                         {write(ok0), write(surplus), keep},
                         {write(ok0), pause(5ms), write(surplus), keep},
                         {write(ok0 + "garbage\r\n"), keep}};
  for (const auto& each : scripts) {
    receiver there{in_turn({each, answer(200)})};
    http_client client{loopback_allowed()};
    EXPECT_EQ(post(client, there.url()).status, 200);
    ASSERT_TRUE(eventually([&] { return client.gauges().idle == 0; }));
    EXPECT_EQ(post(client, there.url()).status, 200);
    EXPECT_EQ(there.connections(), 2);
  }
}

// D-11: the unasked response comes after the asked one was read and before the
// loop could notice it.
TEST(HttpClientPool, LooksForUnaskedBytesBeforeItReuses) {
  const int listener = testing::listen_on("127.0.0.1", 0, 8);
  const auto where =
      "http://127.0.0.1:" + std::to_string(testing::port_of(listener)) + "/";
  std::promise<void> first_done;
  std::promise<void> surplus_written;
  std::promise<attempt_result> second;
  auto result = second.get_future();
  http_client client{loopback_allowed()};
  client.send(request_to(where), [&](const attempt_result&) {
    first_done.set_value();
    surplus_written.get_future().wait_for(20s); // the loop stands still
    client.send(request_to(where), [&](attempt_result each) {
      second.set_value(std::move(each));
    });
  });
  std::string request;
  testing::receiver_socket socket{accept(listener, nullptr, nullptr)};
  socket.read_some(request);
  socket.write_all(ok0);
  first_done.get_future().wait();
  socket.write_all("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n");
  surplus_written.set_value();
  // Answers on whatever other connection there is; ends with the listener.
  std::thread fresh{[&] {
    const int fd = accept(listener, nullptr, nullptr);
    if (fd < 0)
      return;
    testing::receiver_socket other{fd};
    other.read_some(request);
    other.write_all(ok0);
  }};
  ASSERT_EQ(result.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(result.get().status, 200);
  shutdown(listener, SHUT_RDWR);
  fresh.join();
  close(listener);
}

TEST(HttpClientPool, NoticesAnIdleConnectionThatThePeerCloses) {
  receiver there{in_turn({{write(ok0), close_now}, answer(200)})};
  http_client client{loopback_allowed()};
  EXPECT_EQ(post(client, there.url()).status, 200);
  EXPECT_TRUE(eventually([&] { return client.gauges().idle == 0; }));
  EXPECT_EQ(post(client, there.url()).status, 200);
}

// C-14: the receiver closes right behind each answer and the next request
// follows at once, so that many a one meets a connection that is about to end.
TEST(HttpClientPool, NeverFailsOnAStaleConnection) {
  receiver there{always({write(ok0), close_now})};
  http_client client{loopback_allowed()};
  constexpr int rounds = 2000;
  std::atomic<int> delivered{0};
  std::atomic<int> failed{0};
  std::function<void(attempt_result)> next = [&](const attempt_result& result) {
    (result.status == 200 ? delivered : failed).fetch_add(1);
    if (delivered + failed < rounds)
      client.send(request_to(there.url()), next);
  };
  client.send(request_to(there.url()), next);
  EXPECT_TRUE(eventually([&] { return delivered + failed == rounds; }));
  client.stop();
  EXPECT_EQ(failed, 0);
}

TEST(HttpClientPool, TriesOnceMoreWhenAReusedConnectionDiesSilently) {
  // The second request on a connection is read and then refused by silence.
  receiver there{[seen = std::make_shared<std::map<int, int>>(),
                  lock = std::make_shared<std::mutex>()](const arrival& each) {
    const std::lock_guard guard{*lock};
    return ++(*seen)[each.connection] == 1 ? answer(200) : script{reset_now};
  }};
  http_client client{loopback_allowed()};
  EXPECT_EQ(post(client, there.url()).status, 200);
  const auto result = post(client, there.url());
  EXPECT_EQ(result.status, 200);
  EXPECT_FALSE(result.connection_reused);
  EXPECT_EQ(there.arrivals().size(), 3U);
}

TEST(HttpClientPool, TriesNoThirdTime) { // RESP-16
  receiver there{in_turn({answer(200), {reset_now}})};
  http_client client{loopback_allowed()};
  EXPECT_EQ(post(client, there.url()).status, 200);
  const auto result = post(client, there.url());
  EXPECT_EQ(result.error, attempt_error::connection_reset);
  EXPECT_EQ(there.arrivals().size(), 3U);
}

TEST(HttpClientPool, TriesNoSecondTimeOnceAByteHasCome) {
  receiver there{in_turn({answer(200), {write("H"), pause(20ms), reset_now}})};
  http_client client{loopback_allowed()};
  EXPECT_EQ(post(client, there.url()).status, 200);
  const auto result = post(client, there.url());
  EXPECT_EQ(result.error, attempt_error::connection_reset);
  EXPECT_TRUE(result.connection_reused);
  EXPECT_EQ(there.arrivals().size(), 2U);
}

TEST(HttpClientPool, ClosesWhatIsIdleForTooLong) {
  receiver there{always(answer(200))};
  auto options = loopback_allowed();
  options.idle_timeout = 100ms;
  http_client client{options};
  EXPECT_EQ(post(client, there.url()).status, 200);
  EXPECT_TRUE(eventually([&] { return client.gauges().idle == 0; }));
}

TEST(HttpClientPool, ReusesNoConnectionPastItsAge) { // J-08
  receiver there{always(answer(200))};
  auto options = loopback_allowed();
  options.max_connection_age = 0ms;
  http_client client{options};
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(post(client, there.url()).connection_reused);
  EXPECT_EQ(there.connections(), 3);
}

std::vector<std::pair<http_request, http_client::callback>>
batch(const std::string& where, int count, const http_client::callback& done) {
  std::vector<std::pair<http_request, http_client::callback>> result;
  for (int i = 0; i < count; ++i)
    result.emplace_back(request_to(where, std::to_string(i)), done);
  return result;
}

TEST(HttpClientPool, AnswersAThousandAtOnceExactlyOnceEach) {
  receiver there{always(answer(200))};
  http_client client{loopback_allowed()};
  std::atomic<int> delivered{0};
  std::atomic<int> other{0};
  const auto count = [&](const attempt_result& result) {
    (result.status == 200 ? delivered : other).fetch_add(1);
  };
  std::thread second{[&] { client.send(batch(there.url(), 500, count)); }};
  client.send(batch(there.url(), 500, count));
  second.join();
  EXPECT_TRUE(eventually([&] { return delivered + other == 1000; }));
  client.stop();
  EXPECT_EQ(delivered, 1000);
  EXPECT_EQ(other, 0);
  std::map<std::string, int> bodies;
  for (const auto& each : there.arrivals())
    ++bodies[each.body];
  EXPECT_EQ(bodies.size(), 500U);
  for (const auto& [body, times] : bodies)
    EXPECT_EQ(times, 2) << body;
}

TEST(HttpClientPool, OpensNoMoreConnectionsThanAllowed) {
  receiver there{always({pause(5ms), write(ok0), keep})};
  receiver other{always(answer(200))};
  auto options = loopback_allowed();
  options.max_connections = 4;
  http_client client{options};
  std::atomic<int> delivered{0};
  const auto count = [&](const attempt_result& result) {
    delivered += result.status == 200 ? 1 : 0;
  };
  client.send(batch(there.url(), 60, count));
  // Another origin gets its turn: an idle connection makes room.
  client.send(batch(other.url(), 4, count));
  EXPECT_TRUE(eventually([&] { return delivered == 64; }));
  EXPECT_LE(there.connections(), 4 + 4);
  EXPECT_LE(client.gauges().idle, 4U);
}

TEST(HttpClientPool, KeepsWhatHasJustBecomeIdleAndClosesTheSurplusLater) {
  receiver there{always(answer(200))};
  auto options = loopback_allowed();
  options.max_idle_per_origin = 2;
  http_client client{options};
  std::atomic<int> delivered{0};
  const auto count = [&](const attempt_result& result) {
    delivered += result.status == 200 ? 1 : 0;
  };
  client.send(batch(there.url(), 16, count));
  EXPECT_TRUE(eventually([&] { return delivered == 16; }));
  const auto opened = there.connections();
  client.send(batch(there.url(), opened, count));
  EXPECT_TRUE(eventually([&] { return delivered == 16 + opened; }));
  EXPECT_EQ(there.connections(), opened);
  EXPECT_TRUE(eventually([&] { return client.gauges().idle == 2; }));
}

TEST(HttpClientPool, RunsWhatIsAskedForLaterOnItsOwnThread) {
  receiver there{always(answer(200))};
  http_client client{loopback_allowed()};
  EXPECT_FALSE(client.on_loop());
  std::promise<std::pair<bool, bool>> ran;
  client.send(request_to(there.url(), "{}"), [&](const attempt_result&) {
    const bool asked = client.on_loop();
    client.later([&, asked] { ran.set_value({asked, client.on_loop()}); });
  });
  auto result = ran.get_future();
  ASSERT_EQ(result.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(result.get(), std::pair(true, true));
}

TEST(HttpClientPool, LetsARequestWaitForAConnectionNoLongerThanItsTimeout) {
  receiver there{always({pause(30s)})};
  auto options = loopback_allowed();
  options.max_connections = 1;
  http_client client{options};
  client.send(request_to(there.url()), [](const attempt_result&) {});
  auto request = request_to(there.url());
  request.timeout = 200ms;
  const auto result = post(client, std::move(request));
  EXPECT_EQ(result.error, attempt_error::local_resources);
}

TEST(HttpClientPool, StopEndsEveryRequestExactlyOnce) {
  receiver silent{always({pause(30s)})};
  receiver half{always(
      {write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), pause(30s)})};
  auto options = loopback_allowed();
  options.max_connections = 60;
  http_client client{options};
  std::atomic<int> cancelled{0};
  std::atomic<int> delivered{0};
  const auto count = [&](const attempt_result& result) {
    (result.error == attempt_error::cancelled ? cancelled : delivered)
        .fetch_add(1);
  };
  client.send(batch(half.url(), 1, count));
  ASSERT_TRUE(half.wait_for(1));
  client.send(batch(silent.url(), 100, count));
  client.send(batch("http://no-such-host.invalid/", 5, count));
  ASSERT_TRUE(silent.wait_for(50));
  client.stop();
  client.stop();
  EXPECT_EQ(cancelled + delivered, 106);
  EXPECT_GE(cancelled, 100);
  client.send(batch(silent.url(), 3, count));
  EXPECT_EQ(cancelled + delivered, 109);
  EXPECT_EQ(client.gauges().active, 0U);
  EXPECT_EQ(client.gauges().idle, 0U);
}

} // namespace
} // namespace postrider::net
