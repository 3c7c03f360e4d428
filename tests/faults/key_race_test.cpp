#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <thread>

namespace postrider::testing {
namespace {

/// What two calls at once with one key were answered.
using pair_of_answers = std::array<int, 2>;

pair_of_answers race(fault_bench& bench, std::barrier<>& start,
                     const std::string& key, bool same_body) {
  pair_of_answers out{};
  std::array<std::jthread, 2> both;
  for (std::size_t i = 0; i < 2; ++i)
    both[i] = std::jthread{[&, i] {
      auto payload = fault_bench::payload_of(key);
      if (!same_body && i == 1)
        payload.insert(1, " ");
      const auto body = fmt::format(
          R"({{"tenant":"acme","type":"a.b","id":"{}","payload":{}}})", key,
          payload);
      start.arrive_and_wait();
      out[i] = bench.here()
                   .call(*bench.here().nodes()[i], "POST", "/v1/events", body)
                   .status;
    }};
  for (auto& one : both)
    one.join();
  return out;
}

// G-06, S3.46, S3.47: two calls at once with one key, at two nodes. The unique
// index decides: one event; the other call finds it, or is refused when its
// body is another one. Never both, never neither, never a fault of ours.
TEST(KeyRace, MakesOneEventOfEveryPair) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.start();
  bench.here().tenant();
  const int pairs = long_run() ? 1'000 : 100;
  std::barrier start{2};
  int wrong = 0;
  for (int i = 0; i < pairs; ++i) {
    const bool same = i % 2 == 0;
    auto got = race(bench, start, fmt::format("g{}", i), same);
    std::sort(got.begin(), got.end());
    const auto wanted =
        same ? pair_of_answers{200, 201} : pair_of_answers{201, 409};
    if (got != wanted) {
      ++wrong;
      ADD_FAILURE() << got[0] << " and " << got[1] << " for a pair with "
                    << (same ? "the same body" : "another body");
    }
  }
  const auto events =
      std::stoll(bench.here().sql("select count(*) from postrider.event"));
  EXPECT_EQ(events, pairs);
  fault_record out{"G-06", "pairs with one key", pairs};
  out.avoidable = events - pairs;
  out.other = wrong;
  put_on_record(out);
}

} // namespace
} // namespace postrider::testing
