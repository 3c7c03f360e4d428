#include "tests/faults/fault_bench.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

step write(const std::string& bytes) {
  return {step::kind::write, bytes, {}};
}
const step reset{step::kind::reset, "", {}};

enum class where { at_accept, after_headers, behind_the_request };

struct stage {
  const char* name;
  where at = where::behind_the_request;
  script does = {};
  bool delivered = false;
};

const std::vector<stage> stages = {
    {"at accept", where::at_accept, {}, false},
    {"after the headers", where::after_headers, {reset}, false},
    {"after the body", where::behind_the_request, {reset}, false},
    {"in the status line",
     where::behind_the_request,
     {write("HTTP/1.1 20"), reset},
     false},
    {"in the status line's end",
     where::behind_the_request,
     {write("HTTP/1.1 200 OK\r"), reset},
     false},
    {"after the status line",
     where::behind_the_request,
     {write("HTTP/1.1 200 OK\r\n"), {step::kind::pause, "", 50ms}, reset},
     true},
    {"after the head",
     where::behind_the_request,
     {write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
      {step::kind::pause, "", 50ms},
      reset},
     true},
    {"in the body",
     where::behind_the_request,
     {write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
      {step::kind::pause, "", 50ms},
      reset},
     true}};

/// What the only attempt at such a receiver was recorded as.
std::string outcome_at(platform& here, const stage& one) {
  receiver::options how;
  how.reset_at_accept = one.at == where::at_accept;
  how.answer_after_head = one.at == where::after_headers;
  receiver shop{[&](const arrival&) { return one.does; }, how};
  const auto id =
      here.endpoint(shop.url(), fmt::format("stage.{}", &one - stages.data()),
                    R"("retry":"1h")");
  here.send(fmt::format("stage.{}", &one - stages.data()), "{}");
  const auto ask = fmt::format(
      "select outcome || ' ' || coalesce(error, '') from postrider.attempt a "
      "join postrider.endpoint e on e.id = a.endpoint where "
      "e.url = '{}'",
      shop.url());
  std::string out;
  eventually([&] { return !(out = here.sql(ask)).empty(); }, 10s);
  return out;
}

// C-05, I10: only a receiver that has sent a complete status line has taken a
// delivery, wherever it resets the connection.
TEST(ResetStages, DeliverOnlyFromTheEndOfTheStatusLineOn) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.here().tenant();
  for (const auto& one : stages) {
    const auto outcome = outcome_at(bench.here(), one);
    EXPECT_EQ(outcome.starts_with("succeeded"), one.delivered)
        << one.name << ": " << outcome;
    fmt::print("C-05 reset {:26} {}\n", one.name, outcome);
  }
}

// C-05 with the ledgers: the same at random, first attempts only; all arrive
// in the end and nothing arrives twice that was delivered.
TEST(ResetStages, AtRandomCostNothingButTheRetriesThatTheyAsk) {
  for (const bool faulty : {false, true}) {
    fault_bench bench{[faulty](const arrival& got) {
      const bool first = got.find("X-Postrider-Attempt") == "0";
      const auto turn =
          std::stoul(got.find("X-Postrider-Sequence")) % (stages.size() - 2);
      return faulty && first ? stages[turn + 2].does : answer(204);
    }};
    bench.start();
    bench.endpoint(R"("retry":"20ms 20ms 20ms")");
    bench.endpoint(R"("ordering":"none","retry":"20ms 20ms 20ms")");
    for (int i = 0; i < 48; ++i)
      EXPECT_EQ(bench.send(fmt::format("k{}", i), fmt::format("s{}", i % 6)),
                201);
    EXPECT_TRUE(bench.drained()) << bench.node().log();
    const auto verdicts = bench.judge();
    EXPECT_TRUE(holds(verdicts)) << bench.said();
    if (!faulty) {
      EXPECT_EQ(number_of(verdicts, "I2", "U4"), 0);
    }
    fmt::print("C-05 {}: U4 {}, on a kept connection {}, avoidable {}\n",
               faulty ? "at random" : "no fault",
               number_of(verdicts, "I2", "U4"),
               number_of(verdicts, "I2", "stale connection"),
               number_of(verdicts, "I2", "avoidable"));
  }
}

} // namespace
} // namespace postrider::testing
