// RELIABILITY M-08 and M-09: the real actors of several nodes against a model
// of the database and of the network, by seed.
#include "tests/simulation/simulation.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <optional>
#include <vector>

namespace postrider::testing {
namespace {

std::optional<std::uint64_t> wanted_seed() {
  const char* given = std::getenv("POSTRIDER_SEED");
  if (!given)
    return std::nullopt;
  return std::strtoull(given, nullptr, 10);
}

bool loud() {
  return std::getenv("POSTRIDER_TRACE") != nullptr;
}

std::uint64_t seeds() {
  return std::getenv("POSTRIDER_LONG") ? 10'000 : 200;
}

struct tally {
  std::uint64_t seeds = 0;
  std::vector<std::uint64_t> failed;
  std::uint64_t messages = 0;
  std::chrono::seconds lasted{0};
  std::map<std::string, std::uint64_t> reached;

  void add(const sim_verdict& one) {
    ++seeds;
    if (!one.holds())
      failed.push_back(one.seed);
    messages += one.messages;
    lasted += one.lasted;
    for (const auto& [path, times] : one.reached)
      reached[path] += times;
    if (one.holds() || failed.size() > 5)
      return;
    ADD_FAILURE() << "POSTRIDER_SEED=" << one.seed << " repeats this\n"
                  << one.offence;
  }
  void print() const {
    fmt::print("{} seeds, {} failed, {:.1f} hours of model time, {} messages\n",
               seeds, failed.size(), static_cast<double>(lasted.count()) / 3600,
               messages);
    for (const auto seed : failed)
      fmt::print("failed: {}\n", seed);
    for (const auto& [path, times] : reached)
      fmt::print("{:10} {}\n", times, path);
  }
};

/// Paths of which each has to be taken by some seed.
constexpr const char* rare_paths[] = {
    "a breaker ended",
    "a call was not answered",
    "a driver ended with work in flight",
    "a driver threw",
    "a lease was lost",
    "a reader ended, and all that deliver",
    "a settler ended with something to write",
    "actor restarted",
    "answer lost: acquire",
    "answer lost: beat",
    "answer lost: content",
    "answer lost: ingest",
    "answer lost: move",
    "answer lost: read",
    "answer lost: settle",
    "arrived after its node was killed",
    "asked to pause",
    "asked while the database was away: settle",
    "database away past the leases",
    "ended with a request on its way",
    "fence hit nothing",
    "health: degraded",
    "health: healthy",
    "health: suspended",
    "held after its attempt",
    "handed over",
    "held as it was read",
    "held by a statement",
    "laid on this node",
    "late row found",
    "lease lost",
    "left in order",
    "message lost",
    "no room for the tenant",
    "no token",
    "not held: its endpoint is healthy on record",
    "paused past its lease",
    "reopened",
    "taken carefully",
    "takeover with work open",
    "trial",
};

TEST(Simulation, HoldsForEachSeedAndReachesEveryRarePath) {
  tally all;
  if (const auto one = wanted_seed()) {
    const auto got = simulate(*one, {}, loud());
    all.add(got);
    all.print();
    fmt::print("hash {:016x}\n", got.hash);
    return;
  }
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
    all.add(simulate(seed));
  all.print();
  for (const auto* path : rare_paths)
    EXPECT_TRUE(all.reached.contains(path)) << path;
}

TEST(Simulation, IsTheSameRunForTheSameSeed) {
  std::uint64_t before = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto first = simulate(seed);
    const auto second = simulate(seed);
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(first.messages, second.messages) << "seed " << seed;
    EXPECT_NE(first.hash, before);
    before = first.hash;
  }
}

// The tests of the test: the model is given a defect, and the checker has to
// see it.

struct seeded {
  const char* name;
  model_defects defects;
  const char* found_by;
  plan (*plays)(std::uint64_t seed) = make_plan;
};

/// Nodes that stand still with outcomes which they have not written, while
/// receivers are slow to take what others send again.
plan pauses(std::uint64_t seed) {
  auto out = make_plan(seed);
  out.nodes = 3;
  out.endpoints = 7;
  out.lease = std::chrono::milliseconds{1'500};
  out.heartbeat = out.lease / 10;
  out.settle_delay = std::chrono::milliseconds{900};
  out.settle_most = 500;
  out.silent = 0.4;
  out.pause = 20;
  out.every = std::chrono::milliseconds{500};
  return out;
}

class SeededModelDefect : public ::testing::TestWithParam<seeded> {};

TEST_P(SeededModelDefect, IsFoundByTheChecker) {
  constexpr std::uint64_t most = 100;
  std::uint64_t seed = 1;
  for (; seed <= most; ++seed)
    if (simulate(seed, GetParam().plays(seed), GetParam().defects, false)
            .broken.at(GetParam().found_by))
      break;
  EXPECT_LE(seed, most);
  fmt::print("found by {} with seed {}\n", GetParam().found_by, seed);
}

INSTANTIATE_TEST_SUITE_P(
    Each, SeededModelDefect,
    ::testing::Values(
        seeded{"OutcomesWithoutFence", {.unfenced = true}, "I9", pauses},
        seeded{"LateCommitsNeverHeardOf", {.cursor_alone = true}, "stuck"},
        seeded{"OutcomesDropped", {.drops_outcomes = true}, "I2"}),
    [](const auto& given) { return std::string{given.param.name}; });

} // namespace
} // namespace postrider::testing
