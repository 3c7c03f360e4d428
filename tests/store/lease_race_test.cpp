#include "store/error.hpp"
#include "store/leases.hpp"
#include "tests/store/backlog.hpp"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Nodes that take, keep, forget and give back leases as it comes, and settle
/// what they believe to be theirs.
class LeaseRace : public ::testing::Test, protected backlog {
protected:
  LeaseRace() {
    // A lease that changes hands before its end is an error of the statement.
    db("create function public.judge() returns trigger language plpgsql as $$ "
       "begin if old.owner is not null and new.owner is not null "
       "and new.owner <> old.owner and old.expires_at > clock_timestamp() "
       "then raise 'a lease was stolen'; end if; "
       "if new.owner is distinct from old.owner and new.owner is not null "
       "and new.epoch <= old.epoch then raise 'an epoch was used twice'; "
       "end if; return new; end $$");
    db("create trigger judge before update on postrider.partition "
       "for each row execute function public.judge()");
    endpoint({"order.*"}); // in partition 7
  }

  struct tally {
    std::atomic<int> claims{0};
    std::atomic<int> hits{0};
  };

  void race(std::uint8_t number, int claims, tally& all,
            const std::vector<store::settlement>& rows) {
    std::mt19937 dice{number};
    store::leases mine{url, node_of(number), "racer", 1s};
    store::settler writer{url, node_of(number), "racer"};
    while (all.claims < claims) {
      try {
        step(dice, mine, writer, all, rows);
      } catch (const store::error& fault) {
        // A busy machine may be too slow for a heartbeat; the judge is not.
        if (fault.what_kind() != store::error::kind::transient) {
          ADD_FAILURE() << fault.what();
          return;
        }
      }
    }
  }

  void step(std::mt19937& dice, store::leases& mine, store::settler& writer,
            tally& all, const std::vector<store::settlement>& rows) {
    // What it believes it holds may be another's by the end.
    auto held = mine.beat().held;
    const auto got = mine.acquire(1 + static_cast<int>(dice() % 64));
    all.claims += static_cast<int>(got.size());
    held.insert(held.end(), got.begin(), got.end());
    if (dice() % 10 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{dice() % 1'500});
    for (const auto& lease : held)
      if (lease.partition == 7) {
        auto one = rows[dice() % rows.size()];
        one.epoch = lease.epoch;
        all.hits += writer.settle(std::vector{one}).hit.front() ? 1 : 0;
      }
    if (dice() % 10 < 6)
      mine.release(held);
  }
};

// B-22, LEASE-09: no partition has two live owners, no epoch is used twice, and
// each outcome counts once.
TEST_F(LeaseRace, HasOneLiveOwnerForEachPartition) {
  const int claims = std::getenv("POSTRIDER_LONG") ? 1'000'000 : 5'000;
  publish(50);
  const auto rows = settlements();
  tally all;
  std::vector<std::thread> racers;
  for (std::uint8_t number = 1; number <= 8; ++number)
    racers.emplace_back([&, number] { race(number, claims, all, rows); });
  for (auto& one : racers)
    one.join();
  EXPECT_GE(all.claims, claims);
  // Each settled row is gone, and has one record.
  EXPECT_EQ(std::to_string(50 - all.hits), count("delivery"));
  EXPECT_EQ(std::to_string(all.hits), count("attempt"));
  EXPECT_GT(all.hits, 0);
}

} // namespace
} // namespace postrider::testing
