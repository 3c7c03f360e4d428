#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/faults/sql_producer.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

struct point {
  const char* name; ///< null: the healthy twin
  /// The receiver has the request and the database not its outcome.
  bool in_the_window = false;
};

/// One event at a time, until the node has died with one.
int send_until_it_dies(fault_bench& bench, sql_producer& by, int next) {
  const auto gone = [&] { return bench.node().wait(0ms) >= 0; };
  eventually([&] { return gone() || bench.drained(20ms); });
  while (!gone()) {
    by.publish(fmt::format("k{}", next++));
    by.commit();
    if (!eventually([&] { return gone() || bench.drained(20ms); })) {
      ADD_FAILURE() << "neither dead nor done: " << bench.node().log();
      break;
    }
  }
  return next;
}

void crash_at(const point& where, int hits) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  bench.kill(bench.node(), bench.name());
  auto dice = dice_for(std::hash<std::string>{}(where.name ? where.name : ""));
  sql_producer by{bench};
  int next = 0;
  for (int hit = 0; where.name && hit < hits; ++hit) {
    const auto nth = 1 + dice() % 3;
    bench.start(std::string{where.name} == "client.half_sent"
                    ? fmt::format("client.half_sent=error(1,{});"
                                  "client.half_sent_crash=crash",
                                  nth)
                    : fmt::format("{}=crash(1,{})", where.name, nth),
                {}, false);
    next = send_until_it_dies(bench, by, next);
    EXPECT_EQ(bench.node().wait(), 128 + SIGKILL) << where.name;
    bench.mark("crash", bench.name());
  }
  bench.start();
  for (int i = 0; i < 3; ++i) {
    by.publish(fmt::format("k{}", next++));
    by.commit();
  }
  EXPECT_TRUE(bench.drained(20s));
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  const auto again = number_of(verdicts, "I2", "U1");
  // At most one for each hit, and none outside of the window.
  EXPECT_LE(again, where.in_the_window ? hits : 0) << where.name;
  if (where.in_the_window) {
    EXPECT_GT(again, 0) << where.name;
  }
  put_on_record("A-02",
                where.name ? fmt::format("crash at {}", where.name) : "none",
                where.name ? hits : 0, verdicts);
}

// A-02, G2: a duplicate can only come from between the request and the commit
// of its outcome, and one crash makes at most one. (A half sent request is not
// taken for one by a receiver.)
TEST(DeliveryCrash, RepeatsOnlyWhatTheReceiverHadAndTheDatabaseNot) {
  const int hits = long_run() ? 100 : 3;
  in_parallel<point>({{nullptr},
                      {"partition.claimed"},
                      {"partition.begin"},
                      {"client.connected"},
                      {"client.half_sent"},
                      {"client.sent", true},
                      {"client.status_read", true},
                      {"settle.before", true},
                      {"settle.committed"}},
                     [&](const point& where) { crash_at(where, hits); });
}

} // namespace
} // namespace postrider::testing
