#include "tests/faults/fault_bench.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

struct odd_answer {
  const char* name;
  std::string bytes;
  bool then_close = false;
  bool may_be_kept = false; ///< for the next request
};

/// RELIABILITY 6.3, and what D-02 and D-03 list.
const std::vector<odd_answer> odd_answers = {
    {"204", "HTTP/1.1 204 No Content\r\n\r\n", false, true},
    {"205", "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", false,
     true},
    {"zero length", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false,
     true},
    {"204 with a body",
     "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok"},
    {"204 in chunks",
     "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    {"short body, then the end",
     "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", true},
    {"bad chunk",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n"},
    {"chunks that stop",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"},
    {"length and chunks",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
     "\r\n2\r\nok\r\n0\r\n\r\n"},
    {"two lengths",
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\nok"},
    {"body that is not read to its end",
     "HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n"
         + std::string(100'000, 'x')},
    {"a second answer",
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 X\r\n"
     "Content-Length: 0\r\n\r\n"},
};

std::size_t turn_of(const arrival& got) {
  return std::stoul(got.find("X-Postrider-Sequence")) % odd_answers.size();
}

script oddly(const arrival& got) {
  const auto& one = odd_answers[turn_of(got)];
  script out{{step::kind::write, one.bytes, {}}};
  // Open for longer than any attempt: waiting for an end is seen as lateness.
  out.push_back(one.then_close ? step{step::kind::close, "", {}} : step{});
  return out;
}

// D-02, D-03, RESP-01, 02, 04, 17, G6: a 2xx status line is a delivery, decided
// at once whatever the body does; each arrives once, and what follows on a
// connection that is not clean never does.
TEST(OddAnswers, AreOneArrivalEachAndNoDirtyConnectionIsUsedAgain) {
  for (const bool faulty : {false, true}) {
    fault_bench bench{faulty ? receiver::behaviour{oddly}
                             : [](const arrival&) { return answer(200); }};
    bench.start();
    bench.endpoint(R"("retry":"20ms 20ms")");
    const int events = 4 * static_cast<int>(odd_answers.size());
    for (int i = 0; i < events; ++i)
      EXPECT_EQ(bench.send(fmt::format("k{}", i)), 201);
    EXPECT_TRUE(bench.drained()) << bench.node().log();
    const auto verdicts = bench.judge();
    EXPECT_TRUE(holds(verdicts)) << bench.said();
    std::map<int, std::vector<arrival>> by_connection;
    const auto all = bench.shop().raw().arrivals();
    for (const auto& one : all)
      by_connection[one.connection].push_back(one);
    EXPECT_EQ(std::ssize(all), events) << "one arrival each";
    int dirty = 0;
    for (const auto& [connection, used] : by_connection)
      for (std::size_t i = 0; faulty && i + 1 < used.size(); ++i)
        dirty += !odd_answers[turn_of(used[i])].may_be_kept;
    EXPECT_EQ(dirty, 0);
    EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                               "not final or outcome <> 'succeeded'"),
              "0");
    // A body that stays away has a second; nothing else waits at all.
    const auto slow = bench.here().sql(
        "select count(*) from postrider.attempt where duration_ms > 900");
    EXPECT_LE(std::stoi(slow), faulty ? 4 * 2 : 0);
    fmt::print("D-02, D-03 {}: {} deliveries, {} arrivals, dirty connections "
               "used again {}\n",
               faulty ? "odd answers" : "no fault", events, all.size(), dirty);
  }
}

} // namespace
} // namespace postrider::testing
