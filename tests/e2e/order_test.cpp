#include "tests/e2e/platform.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

namespace postrider::testing {
namespace {

/// The stream and the number inside it stand in the payload.
struct place {
  int stream = 0;
  int number = 0;
};

place place_of(const std::string& body) {
  place out;
  std::sscanf(body.c_str(), "{\"stream\":%d,\"number\":%d}", &out.stream,
              &out.number);
  return out;
}

// LEASE-06, S1.5, S1.17, S1.27, S1.48, S1.49, S1.95, S1.101, G-03: 64 streams
// with failing heads.
TEST(Order, FirstAttemptsOf64StreamsKeepTheirOrderBehindFailingHeads) {
  constexpr int streams = 64;
  constexpr int each = 25;
  receiver shop{[](const arrival& got) {
    // The first event of every stream fails twice.
    const bool head = place_of(got.body).number == 0;
    return answer(head && got.find("X-Postrider-Attempt") < "2" ? 500 : 200);
  }};
  platform here;
  here.start({{"HEALTH__DEGRADED_AFTER", "1000"},
              {"HEALTH__FAILURE_RATIO", "2"}}); // it stays healthy
  here.tenant();
  here.endpoint(shop.url(), "*",
                R"("ordering_key":"event","retry":"300ms 300ms 300ms")");
  for (int number = 0; number < each; ++number) {
    std::string batch = "[";
    for (int stream = 0; stream < streams; ++stream)
      batch += fmt::format("{}{{\"tenant\":\"acme\",\"type\":\"a.b\","
                           "\"ordering_key\":\"s{}\",\"payload\":"
                           "{{\"stream\":{},\"number\":{}}}}}",
                           stream ? "," : "", stream, stream, number);
    ASSERT_EQ(here.call("POST", "/v1/events/batch", batch + "]").status, 200);
  }
  ASSERT_TRUE(shop.wait_for(streams * (each + 2), std::chrono::seconds{60}));
  ASSERT_TRUE(here.settled());
  std::map<int, int> next;
  int retries = 0;
  for (const auto& one : sightings(shop)) {
    const auto at = place_of(one.body);
    if (one.attempt > 0) {
      ++retries;
      continue;
    }
    EXPECT_EQ(at.number, next[at.stream]++) << "stream " << at.stream;
  }
  EXPECT_EQ(retries, 2 * streams);
  for (int stream = 0; stream < streams; ++stream)
    EXPECT_EQ(next[stream], each);
}

// One attempt at a time in a stream, and none of another held up by it.
TEST(Order, AStreamHasOneAttemptInFlightAndOtherStreamsGoOn) {
  receiver shop{[](const arrival&) {
    return script{{step::kind::pause, "", std::chrono::milliseconds{20}},
                  {step::kind::write, "HTTP/1.1 204 No Content\r\n\r\n", {}},
                  {step::kind::keep, "", {}}};
  }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url(), "*", R"("ordering_key":"event")");
  std::string batch = "[";
  for (int i = 0; i < 60; ++i)
    batch += fmt::format("{}{{\"tenant\":\"acme\",\"type\":\"a.b\","
                         "\"ordering_key\":\"s{}\",\"payload\":"
                         "{{\"stream\":{},\"number\":{}}}}}",
                         i ? "," : "", i % 6, i % 6, i / 6);
  ASSERT_EQ(here.call("POST", "/v1/events/batch", batch + "]").status, 200);
  ASSERT_TRUE(shop.wait_for(60));
  ASSERT_TRUE(here.settled());
  // Requests of one stream never overlap: each arrives after the answer to the
  // one before it.
  std::map<int, std::chrono::steady_clock::time_point> last;
  for (const auto& one : shop.arrivals()) {
    const auto stream = place_of(one.body).stream;
    if (last.contains(stream)) {
      EXPECT_GE(one.at - last[stream], std::chrono::milliseconds{20});
    }
    last[stream] = one.at;
  }
  // Sixty attempts of 20 ms, one after the other, would take 1200 ms.
  const auto all = shop.arrivals();
  EXPECT_LT(all.back().at - all.front().at, std::chrono::milliseconds{1000});
}

// What one transaction wrote becomes visible at once, in part behind where the
// reader stands: it keeps its order among many producers that write slowly.
TEST(Order, EventsOfOneTransactionKeepTheirOrderAmongManyProducers) {
  constexpr int producers = 4;
  constexpr int transactions = 40;
  constexpr int each = 12;
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  for (int i = 0; i < 3; ++i)
    here.endpoint(shop.url(fmt::format("/{}", i)), "*",
                  R"("ordering_key":"event")");
  std::vector<std::thread> threads;
  for (int producer = 0; producer < producers; ++producer)
    threads.emplace_back([&here, producer] {
      for (int i = 0; i < transactions; ++i)
        here.sql(fmt::format(
            "select count(postrider.publish('acme', 'a.b', '{{\"stream\":{0},"
            "\"number\":' || i || '}}', ordering_key => 's{0}')), "
            "count(pg_sleep(0.001)) from generate_series({1}, {2}) as i",
            producer, i * each, (i + 1) * each - 1));
    });
  for (auto& one : threads)
    one.join();
  ASSERT_TRUE(here.settled());
  std::map<std::string, int> next;
  for (const auto& one : shop.arrivals()) {
    const auto at = place_of(one.body);
    const auto stream = fmt::format("{} {}", one.target, at.stream);
    EXPECT_EQ(at.number, next[stream]++) << stream;
  }
  EXPECT_EQ(next.size(), 3u * producers);
  for (const auto& [stream, count] : next)
    EXPECT_EQ(count, transactions * each) << stream;
}

// S1.96: the sequence is global; gaps are normal and it rises in a stream.
TEST(Order, TheSequenceRisesInEachStream) {
  receiver shop{[](const arrival&) { return answer(204); }};
  platform here;
  here.start();
  here.tenant();
  here.endpoint(shop.url("/a"));
  here.endpoint(shop.url("/b"));
  for (int i = 0; i < 20; ++i)
    here.send("a.b", "{}");
  ASSERT_TRUE(shop.wait_for(40));
  std::map<std::string, std::int64_t> last;
  for (const auto& one : shop.arrivals()) {
    const auto sequence = std::stoll(one.find("X-Postrider-Sequence"));
    EXPECT_GT(sequence, last[one.target]);
    last[one.target] = sequence;
  }
}

} // namespace
} // namespace postrider::testing
