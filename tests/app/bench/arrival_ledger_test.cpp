#include "app/bench/arrival_ledger.hpp"

#include "app/bench/arrival_fault.hpp"

#include <gtest/gtest.h>

namespace postrider::app {
namespace {

bench_arrival arrival(std::uint64_t number, std::int64_t sequence,
                      std::size_t endpoint = 0, int attempt = 0) {
  bench_arrival one;
  one.endpoint = endpoint;
  one.number = number;
  one.sequence = sequence;
  one.attempt = attempt;
  one.intended = static_cast<std::int64_t>(number) * 10;
  one.arrived = one.intended + 7;
  return one;
}

TEST(ArrivalLedger, CountsEachEventOnce) {
  arrival_ledger ledger{1};
  ledger.arrived(arrival(0, 1));
  ledger.arrived(arrival(1, 2));
  ledger.arrived(arrival(1, 2));
  EXPECT_EQ(ledger.totals().arrived, 3U);
  EXPECT_EQ(ledger.totals().unique, 2U);
  EXPECT_EQ(ledger.totals().duplicates, 1U);
  EXPECT_EQ(ledger.totals().inversions, 0U);
}

TEST(ArrivalLedger, SeesThatFirstAttemptsOfAnEndpointChangedPlaces) {
  arrival_ledger ledger{2};
  ledger.arrived(arrival(3, 13, 0));
  ledger.arrived(arrival(1, 11, 1)); // another endpoint
  ledger.arrived(arrival(2, 12, 0));
  EXPECT_EQ(ledger.totals().inversions, 1U);
  ASSERT_EQ(ledger.overtakings().size(), 1U);
  EXPECT_EQ(ledger.overtakings()[0].number, 2U);
  EXPECT_EQ(ledger.overtakings()[0].intended, 30);
}

TEST(ArrivalLedger, TakesLatenciesOfThoseThatAreWatchedOnly) {
  arrival_ledger ledger{3};
  ledger.watch(2);
  ledger.arrived(arrival(0, 1, 1));
  ledger.arrived(arrival(1, 2, 2));
  EXPECT_EQ(ledger.totals().unique, 2U);
  EXPECT_EQ(ledger.latencies().count(), 1U);
}

TEST(ArrivalLedger, LetsARetryComeLater) {
  arrival_ledger ledger{1};
  ledger.arrived(arrival(2, 12));
  ledger.arrived(arrival(1, 11, 0, 1));
  EXPECT_EQ(ledger.totals().inversions, 0U);
  EXPECT_EQ(ledger.totals().retries, 1U);
}

TEST(ArrivalLedger, MeasuresOnlyWhatWasMeantForTheMeasuredTime) {
  arrival_ledger ledger{1};
  ledger.measure_from(20);
  ledger.arrived(arrival(1, 11));
  ledger.arrived(arrival(2, 12));
  EXPECT_EQ(ledger.latencies().count(), 1U);
  EXPECT_EQ(ledger.latencies().max(), 7);
}

TEST(ArrivalLedger, TakesAnUnknownEndpointForForeign) {
  arrival_ledger ledger{1};
  ledger.arrived(arrival(0, 1, 5));
  EXPECT_EQ(ledger.totals().foreign, 1U);
  EXPECT_EQ(ledger.totals().arrived, 0U);
}

arrival_totals spoiled_by(arrival_fault kind) {
  arrival_ledger ledger{4};
  fault_injector faults{kind, 42};
  for (std::uint64_t i = 0; i < 2000; ++i)
    faults.pass(arrival(i, static_cast<std::int64_t>(i), i % 4),
                [&](const bench_arrival& one) { ledger.arrived(one); });
  return ledger.totals();
}

TEST(FaultInjector, MakesTheDefectThatItIsNamedAfter) {
  const auto none = spoiled_by(arrival_fault::none);
  EXPECT_EQ(none.unique, 2000U);
  EXPECT_EQ(none.duplicates + none.inversions, 0U);
  EXPECT_LT(spoiled_by(arrival_fault::drop).unique, 2000U);
  EXPECT_GT(spoiled_by(arrival_fault::repeat).duplicates, 0U);
  EXPECT_GT(spoiled_by(arrival_fault::reorder).inversions, 0U);
}

TEST(ArrivalLedger, WaitsForWhatItTurnedAwayToComeAgain) {
  arrival_ledger ledger{1};
  auto refused = arrival(0, 1);
  refused.taken = false;
  ledger.arrived(refused);
  EXPECT_EQ(ledger.totals().turned_away, 1U);
  EXPECT_EQ(ledger.totals().unique, 0U);
  ledger.arrived(arrival(0, 1, 0, 1));
  EXPECT_EQ(ledger.totals().arrived, 2U);
  EXPECT_EQ(ledger.totals().unique, 1U);
  EXPECT_EQ(ledger.totals().duplicates, 0U);
}

TEST(ArrivalLedger, KeepsTheOrderOfWhatItTurnedAway) {
  arrival_ledger ledger{1};
  auto refused = arrival(5, 15);
  refused.taken = false;
  ledger.arrived(refused);
  ledger.arrived(arrival(4, 14));
  EXPECT_EQ(ledger.totals().inversions, 1U);
}

TEST(ArrivalLedger, ForgetsEarlierLatenciesWhenAnotherPartBegins) {
  arrival_ledger ledger{1};
  ledger.arrived(arrival(1, 1));
  ledger.measure_from(100);
  ledger.arrived(arrival(20, 2));
  EXPECT_EQ(ledger.latencies().count(), 1U);
  EXPECT_EQ(ledger.pace().peak(), 1U);
}

} // namespace
} // namespace postrider::app
