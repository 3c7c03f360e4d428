#include "tests/faults/fault_record.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Some have to be retried, and some endpoints are ill for a while.
script badly_at_times(const arrival& got) {
  const bool first = got.find("X-Postrider-Attempt") == "0";
  const auto number = std::stoi(got.find("X-Postrider-Sequence"));
  const bool ill = long_run() && number > 200 && number < 300;
  if (first && (number % 7 == 0 || ill))
    return answer(503);
  return answer(200);
}

void lose_messages(double share) {
  fault_bench bench{badly_at_times};
  const std::map<std::string, std::string> settings{
      {"HEALTH__COOLDOWNS", "1s"}, {"HEALTH__RAMP_START", "200"}};
  bench.start("", settings);
  for (int i = 0; i < 20; ++i)
    bench.endpoint(R"("retry":"50ms 50ms 50ms 50ms")");
  bench.kill(bench.node(), bench.name());
  auto& node = bench.start(fmt::format("actor.lost=drop({})", share), settings);
  const int events = long_run() ? 2'000 : 60;
  producers load{bench, 4};
  // Until it is certain that some were lost, too.
  const auto enough = [&] {
    return load.sent() >= events
           && (share == 0
               || node.log().find("database: lost") != std::string::npos);
  };
  EXPECT_TRUE(eventually(enough, 120s)) << node.log();
  EXPECT_GE(load.stop(), events);
  EXPECT_TRUE(bench.drained()) << node.log();
  const auto verdicts = bench.judge();
  // What comes after a row that was lost does not know of it: order is not
  // asked for (RELIABILITY 5).
  auto asked = verdicts;
  std::erase_if(asked,
                [&](const auto& one) { return share > 0 && one.id == "I3"; });
  EXPECT_TRUE(holds(asked)) << bench.said() << node.log();
  put_on_record(
      "A-12", fmt::format("{} % of messages between actors lost", share * 100),
      load.sent(), verdicts, {}, share > 0);
}

// A-12: a message between actors is a hint as all others are. What it was to
// lead to happens nevertheless, once, and nothing stands for ever.
TEST(LostMessages, LeaveNothingStuckLostOrRepeated) {
  in_parallel<double>({0.0, 0.01}, lose_messages);
}

} // namespace
} // namespace postrider::testing
