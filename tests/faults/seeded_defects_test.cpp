// The tests of the tests: the engine is given a known defect, and the checker
// has to find it. Each run has a healthy twin in which it finds nothing.
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/seeded_runs.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace postrider::testing {
namespace {

struct seeded {
  const char* name; ///< of RELIABILITY 4
  const char* defect;
  std::vector<verdict> (*run)(const std::string& defect, std::string& said);
  const char* found_by;
};

const std::vector<seeded> all_seeded = {
    {"(1) delivered before sending", "defect.success_first", traffic, "I10"},
    {"(2) claim without token", "defect.claim_unheld", join, "I2"},
    {"(3) cursor by id", "defect.cursor_alone", late_commit, "I1"},
    {"(4) answer before COMMIT", "defect.answer_first", crash_at_commit, "I1"},
    {"(5) fence ignored", "defect.unfenced", stall, "I9"},
    {"(6) hidden retry in the client", "defect.hidden_retry", traffic, "I2"},
    {"(7) the body decides", "defect.body_decides", traffic, "I2"},
    {"(8) cleaner by age alone", "defect.cleaner_by_age", retention, "I1"},
    {"(9) tenant missing in a WHERE", "defect.no_tenant", two_tenants, "I4"},
    {"(10) body printed again", "defect.reprinted", traffic, "I7"},
    {"(11) redirect followed", "defect.redirect_followed", redirect, "I8"},
    {"(12) first address checked", "defect.first_address", two_addresses, "I8"},
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
  in_parallel<run>({traffic, late_commit, crash_at_commit, stall, join,
                    retention, two_tenants, redirect, two_addresses},
                   [](run twin) {
                     std::string said;
                     EXPECT_TRUE(holds(twin("none=error", said))) << said;
                   });
}

} // namespace
} // namespace postrider::testing
