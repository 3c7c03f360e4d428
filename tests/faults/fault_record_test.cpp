#include "tests/faults/fault_record.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace postrider::testing {
namespace {

TEST(FaultRecord, AddsUpTheRunsOfOneFault) {
  const auto table =
      fault_table({{"A-03", "kill", 2, 0, 0, 3, 0, 0, 900, 1'500},
                   {"A-01", "crash", 4, 1, 0, 0, 0, 2, -1, -1, true},
                   {"A-03", "kill", 3, 0, 1, 4, 0, 0, 700, 800}});
  EXPECT_NE(table.find("| A-01 | crash † | 4 | 1 | 0 | 0 | 0 | 2 |  |  |\n"
                       "| A-03 | kill | 5 | 0 | 1 | 7 | 0 | 0 | 0.90 | 1.50 "
                       "|\n"),
            std::string::npos)
      << table;
}

TEST(FaultRecord, IsMadeFromTheVerdicts) {
  const auto made = put_on_record(
      "B-01", "crash", 3,
      {{"I1", "", 9, 2, {}, {{"lost", 2}}},
       {"I2", "", 9, 1, {}, {{"avoidable", 1}, {"U1", 4}, {"U4", 2}}},
       {"I3", "", 9, 5, {}, {}},
       {"I6", "", 9, 0, {}, {{"p50 ms", 12}, {"max ms", 34}}},
       {"I9", "", 9, 7, {}, {}}});
  EXPECT_EQ(made.lost, 2);
  EXPECT_EQ(made.avoidable, 1);
  EXPECT_EQ(made.unavoidable, 6);
  EXPECT_EQ(made.inversions, 5);
  EXPECT_EQ(made.other, 7);
  EXPECT_EQ(made.recovery_p50, 12);
  EXPECT_EQ(made.recovery_max, 34);
}

TEST(FaultRecord, IsReadBackAndAnythingElseRefused) {
  std::istringstream good{
      R"({"row":"A-01","fault":"f","rounds":1,"lost":2,"avoidable":3,)"
      R"("unavoidable":4,"inversions":5,"other":6,"recovery_p50":7,)"
      R"("recovery_max":8,"documented":false})"
      "\n"};
  const auto all = read_fault_records(good);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].inversions, 5);
  EXPECT_EQ(all[0].recovery_max, 8);
  std::istringstream bad{"{}\n"};
  EXPECT_ANY_THROW(read_fault_records(bad));
}

} // namespace
} // namespace postrider::testing
