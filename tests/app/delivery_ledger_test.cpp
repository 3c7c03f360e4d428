#include "app/delivery_ledger.hpp"

#include <gtest/gtest.h>

namespace postrider::app {

receipt first(const std::string& event, std::int64_t sequence,
              const std::string& stream = "s") {
  receipt one;
  one.event = event;
  one.id = event + stream;
  one.stream = stream;
  one.sequence = sequence;
  one.signature_good = true;
  one.succeeded = true;
  return one;
}

TEST(DeliveryLedger, CountsWhatIsAcceptedAndHasNotArrivedAsPending) {
  delivery_ledger ledger;
  ledger.accepted("a", 2);
  ledger.arrived(first("a", 1, "one"));
  EXPECT_EQ(ledger.totals().pending(), 1U);
  ledger.arrived(first("a", 2, "two"));
  EXPECT_EQ(ledger.totals().pending(), 0U);
  EXPECT_TRUE(ledger.totals().clean());
}

TEST(DeliveryLedger, TakesAnArrivalThatOvertakesTheAcceptance) {
  delivery_ledger ledger;
  ledger.arrived(first("a", 1));
  EXPECT_EQ(ledger.totals().delivered, 0U);
  ledger.accepted("a", 1);
  EXPECT_EQ(ledger.totals().delivered, 1U);
  EXPECT_EQ(ledger.totals().pending(), 0U);
}

TEST(DeliveryLedger, IsNotSatisfiedByAnAttemptThatWasRefused) {
  delivery_ledger ledger;
  ledger.accepted("a", 1);
  auto refused = first("a", 1);
  refused.succeeded = false;
  ledger.arrived(refused);
  EXPECT_EQ(ledger.totals().pending(), 1U);
  auto again = first("a", 1);
  again.attempt = 1;
  ledger.arrived(again);
  EXPECT_EQ(ledger.totals().pending(), 0U);
  EXPECT_EQ(ledger.totals().retried, 1U);
  EXPECT_EQ(ledger.totals().first, 1U);
}

TEST(DeliveryLedger, SeesFirstAttemptsOfAStreamOutOfOrder) {
  delivery_ledger ledger;
  ledger.arrived(first("b", 2));
  ledger.arrived(first("c", 1, "other stream"));
  EXPECT_TRUE(ledger.totals().clean());
  ledger.arrived(first("a", 1));
  EXPECT_EQ(ledger.totals().out_of_order, 1U);
  EXPECT_FALSE(ledger.totals().clean());
}

TEST(DeliveryLedger, ExpectsNoOrderOfRetriesNorWithoutAStream) {
  delivery_ledger ledger;
  ledger.arrived(first("b", 2));
  auto retry = first("a", 1);
  retry.attempt = 1;
  ledger.arrived(retry);
  ledger.arrived(first("d", 9, ""));
  ledger.arrived(first("c", 8, ""));
  EXPECT_TRUE(ledger.totals().clean());
}

TEST(DeliveryLedger, CountsASecondSuccessAsADuplicateAndNotTwice) {
  delivery_ledger ledger;
  ledger.accepted("a", 2);
  ledger.arrived(first("a", 1));
  ledger.arrived(first("a", 1));
  EXPECT_EQ(ledger.totals().duplicates, 1U);
  EXPECT_EQ(ledger.totals().pending(), 1U);
  EXPECT_EQ(ledger.totals().out_of_order, 0U);
}

TEST(DeliveryLedger, CountsWrongSignatures) {
  delivery_ledger ledger;
  auto bad = first("a", 1);
  bad.signature_good = false;
  ledger.arrived(bad);
  EXPECT_EQ(ledger.totals().badly_signed, 1U);
  EXPECT_FALSE(ledger.totals().clean());
}

} // namespace postrider::app
