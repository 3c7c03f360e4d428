// The tests of the tests: the engine is given a known defect, and the checker
// has to find it. Each run has a healthy twin in which it finds nothing.
#include "tests/faults/fault_bench.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/sql_producer.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// By turns: 503 first, no answer first, a body that breaks off, and plain
/// answers.
script moody(const arrival& got) {
  const bool first = got.find("X-Postrider-Attempt") == "0";
  const auto turn = std::stoi(got.find("X-Postrider-Sequence")) % 5;
  if (turn == 0 && first)
    return answer(503);
  if (turn == 1 && first)
    return {{step::kind::reset, "", {}}};
  if (turn == 2)
    return {{step::kind::write,
             "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
             {}},
            {step::kind::close, "", {}}};
  return answer(204);
}

/// Events by HTTP to moody receivers.
std::vector<verdict> traffic(const std::string& defect, std::string& said) {
  fault_bench bench{moody};
  bench.start(defect);
  for (int i = 0; i < 3; ++i)
    bench.endpoint(R"("retry":"50ms 50ms 50ms")");
  for (int i = 0; i < 40; ++i)
    bench.send(fmt::format("k{}", i), fmt::format("s{}", i % 4));
  bench.drained(20s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

/// A transaction that commits behind what was delivered already.
std::vector<verdict> late_commit(const std::string& defect, std::string& said) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start(defect);
  bench.endpoint(R"("ordering":"none")");
  sql_producer slow{bench};
  sql_producer quick{bench};
  slow.publish("late-1");
  slow.publish("late-2");
  for (int i = 0; i < 5; ++i) {
    quick.publish(fmt::format("k{}", i));
    quick.commit();
  }
  bench.shop().wait_for(5, 3s);
  slow.commit();
  bench.shop().wait_for(7, 3s);
  bench.drained(1s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

/// A crash between the call and the commit.
std::vector<verdict> crash_at_commit(const std::string& defect,
                                     std::string& said) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  bench.kill(bench.node(), bench.name());
  bench.start(defect + ";ingest.before_insert=crash(1,3)");
  for (int i = 0; i < 3; ++i)
    bench.send(fmt::format("k{}", i));
  bench.node().wait();
  bench.mark("crash", bench.name());
  bench.start();
  bench.drained(20s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

/// A node that is stalled past its lease with outcomes that it has not written
/// yet.
std::vector<verdict> stall(const std::string& defect, std::string& said) {
  fault_bench bench{[](const arrival& got) {
    if (got.find("User-Agent") == "n1")
      return answer(200);
    return script{
        // Long enough for the stalled node to wake and write before.
        {step::kind::pause, "", 3s},
        {step::kind::write, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {}},
        {step::kind::keep, "", {}}};
  }};
  auto& stalled = bench.start(defect, {{"DELIVERY__SETTLE_DELAY", "1s"}});
  for (int i = 0; i < 8; ++i)
    bench.endpoint();
  bench.send("k");
  bench.shop().wait_for(8);
  const auto began = ledger_now();
  stalled.signal(SIGSTOP);
  bench.start("", {}, false);
  bench.shop().wait_for(16, 10s); // the new owner's
  stalled.signal(SIGCONT);
  bench.producer().write_durably(
      mark_line{"pause", "n1", began, ledger_now(), 0});
  bench.drained(10s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

struct seeded {
  const char* name; ///< of RELIABILITY 4
  const char* defect;
  std::vector<verdict> (*run)(const std::string& defect, std::string& said);
  const char* found_by;
};

const std::vector<seeded> all_seeded = {
    {"(1) delivered before sending", "defect.success_first", traffic, "I10"},
    {"(3) cursor by id", "defect.cursor_alone", late_commit, "I1"},
    {"(4) answer before COMMIT", "defect.answer_first", crash_at_commit, "I1"},
    {"(5) fence ignored", "defect.unfenced", stall, "I9"},
    {"(6) hidden retry in the client", "defect.hidden_retry", traffic, "I2"},
    {"(7) the body decides", "defect.body_decides", traffic, "I2"},
    {"(10) body printed again", "defect.reprinted", traffic, "I7"},
};

bool is_broken(const std::vector<verdict>& all, const std::string& id) {
  return std::any_of(all.begin(), all.end(), [&](const auto& one) {
    return one.id == id && one.broken > 0;
  });
}

// Whether a defect bites can hang on a moment: on a busy machine the stalled
// node may wake when its successor has settled everything.
constexpr int most_runs = 4;

TEST(SeededDefects, AreAllFoundByTheChecker) {
  std::atomic<int> found{0};
  in_parallel(all_seeded, [&](const seeded& one) {
    std::string said;
    bool caught = false;
    for (int i = 0; i < most_runs && !caught; ++i)
      caught = is_broken(one.run(std::string{one.defect} + "=error", said),
                         one.found_by);
    found += caught;
    fmt::print("{:32} {}\n", one.name,
               caught ? fmt::format("found by {}", one.found_by) : "MISSED");
    EXPECT_TRUE(caught) << one.name << "\n" << said;
  });
  fmt::print("found / seeded: {} / {}\n", found, all_seeded.size());
}

TEST(SeededDefects, AreNotFoundInTheHealthyTwins) {
  using run = std::vector<verdict> (*)(const std::string&, std::string&);
  in_parallel<run>({traffic, late_commit, crash_at_commit, stall},
                   [](run twin) {
                     std::string said;
                     EXPECT_TRUE(holds(twin("none=error", said))) << said;
                   });
}

} // namespace
} // namespace postrider::testing
