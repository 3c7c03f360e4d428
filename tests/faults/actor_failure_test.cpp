#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/in_parallel.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Answers late enough that there is always something in flight.
script slowly(const arrival&) {
  return {
      {step::kind::pause, "", 100ms},
      {step::kind::write, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {}},
      {step::kind::keep, "", {}}};
}

void fail_in(const char* place) {
  fault_bench bench{slowly};
  bench.start(place ? fmt::format("{}=throw(1,8,2)", place) : "");
  for (int i = 0; i < 3; ++i)
    bench.endpoint();
  for (int i = 0; i < 48; ++i)
    EXPECT_TRUE(bench.insist(fmt::format("k{}", i), fmt::format("s{}", i % 8)));
  EXPECT_TRUE(bench.drained()) << bench.node().log();
  const auto log = bench.node().log();
  EXPECT_EQ(log.find("an actor failed") != std::string::npos, place != nullptr)
      << log;
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said() << log;
  put_on_record("A-10", place ? fmt::format("throw at {}", place) : "none",
                place ? 2 : 0, verdicts);
}

// A-10, G6: an actor that fails costs no duplicate: what is in flight is
// brought to its end and recorded before it is started anew.
TEST(ActorFailure, LosesAndRepeatsNothing) {
  in_parallel<const char*>({nullptr, "reader.asks", "ingester.gather"},
                           fail_in);
}

} // namespace
} // namespace postrider::testing
