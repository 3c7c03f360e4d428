// What the engine does by itself: sending, settling, leases.
#include "tests/faults/seeded_runs.hpp"

#include "tests/faults/fault_bench.hpp"
#include "tests/faults/sql_producer.hpp"

#include <fmt/core.h>

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

script slow(const arrival&) {
  return {{step::kind::pause, "", 200ms},
          {step::kind::write, "HTTP/1.1 204 No Content\r\n\r\n", {}},
          {step::kind::keep, "", {}}};
}

} // namespace

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

std::vector<verdict> join(const std::string& defect, std::string& said) {
  fault_bench bench{slow};
  auto& first = bench.start(defect);
  for (int i = 0; i < 16; ++i)
    bench.endpoint();
  bench.send_to(first.api_port());
  bench.start(defect, {}, false);
  for (int i = 0; i < 80; ++i)
    bench.send(fmt::format("k{}", i), fmt::format("s{}", i % 4));
  bench.drained(30s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

std::vector<verdict> retention(const std::string& defect, std::string& said) {
  fault_bench bench{[](const arrival& got) {
    if (got.target == "/2") // dead letters, which keep what has ended
      return answer(400);
    return answer(got.find("X-Postrider-Attempt") == "0" ? 503 : 204);
  }};
  bench.start(defect + ";retention.later=error",
              {{"RETENTION__EVERY", "1s"},
               {"RETENTION__KEYS", "0s"},
               {"RETENTION__DEAD_LETTERS", "0s"},
               {"HEALTH__DEGRADED_AFTER", "1000"},
               {"HEALTH__FAILURE_RATIO", "2"}});
  bench.endpoint(R"("retry":"3s 3s")");
  bench.endpoint();
  for (int i = 0; i < 20; ++i)
    bench.send(fmt::format("k{}", i));
  bench.drained(20s);
  const auto out = bench.judge();
  said = bench.said();
  return out;
}

} // namespace postrider::testing
