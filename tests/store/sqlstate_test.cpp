#include "store/sqlstate.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace postrider::store {
namespace {

// B-16: every class has its rule.
TEST(Sqlstate, HasARuleForEachClassOfFault) {
  struct row {
    const char* state;
    remedy cure;
    error::kind kind;
  };
  using kind = error::kind;
  constexpr row rows[] = {
      {"40001", remedy::again, kind::transient},
      {"40P01", remedy::again, kind::transient},
      {"40003", remedy::reconnect, kind::transient},
      {"57014", remedy::later, kind::transient},
      {"55P03", remedy::later, kind::transient},
      {"53100", remedy::later, kind::transient},
      {"53200", remedy::later, kind::transient},
      {"53300", remedy::reconnect, kind::transient},
      {"", remedy::reconnect, kind::transient},
      {"08006", remedy::reconnect, kind::transient},
      {"08P01", remedy::reconnect, kind::transient},
      {"25006", remedy::reconnect, kind::transient},
      {"25P03", remedy::reconnect, kind::transient},
      {"26000", remedy::reconnect, kind::transient},
      {"0A000", remedy::reconnect, kind::transient},
      {"57P01", remedy::reconnect, kind::transient},
      {"57P02", remedy::reconnect, kind::transient},
      {"57P03", remedy::reconnect, kind::transient},
      {"58030", remedy::reconnect, kind::transient},
      {"XX000", remedy::reconnect, kind::transient},
      {"23505", remedy::refuse, kind::conflict},
      {"23514", remedy::refuse, kind::conflict},
      {"22021", remedy::refuse, kind::conflict},
      {"P0001", remedy::refuse, kind::conflict},
      {"28P01", remedy::give_up, kind::broken},
      {"3D000", remedy::give_up, kind::broken},
      {"42P01", remedy::give_up, kind::broken},
      {"42703", remedy::give_up, kind::broken},
      {"42501", remedy::give_up, kind::broken},
      {"XX001", remedy::give_up, kind::broken},
      {"42601", remedy::give_up, kind::defect},
      {"42P18", remedy::give_up, kind::defect},
      {"99999", remedy::give_up, kind::defect},
  };
  for (const auto& one : rows) {
    const auto& rule = rule_of_sqlstate(one.state);
    EXPECT_EQ(rule.cure, one.cure) << one.state;
    EXPECT_EQ(rule.kind, one.kind) << one.state;
  }
}

TEST(Sqlstate, IsCountedByWhatWasWrong) {
  EXPECT_EQ(rule_of_sqlstate("40P01").counts_as, error_class::deadlock);
  EXPECT_EQ(rule_of_sqlstate("40001").counts_as, error_class::serialization);
  EXPECT_EQ(rule_of_sqlstate("57014").counts_as, error_class::timeout);
  EXPECT_EQ(rule_of_sqlstate("55P03").counts_as, error_class::timeout);
  EXPECT_EQ(rule_of_sqlstate("57P01").counts_as, error_class::connection);
  EXPECT_EQ(rule_of_sqlstate("23505").counts_as, error_class::constraint);
}

TEST(Sqlstate, IsToldToUsersRuleByRule) {
  std::ifstream in{POSTRIDER_SOURCE_DIR "/docs/database.md"};
  const std::string page{std::istreambuf_iterator<char>{in}, {}};
  for (const auto& one : sqlstate_rules()) {
    const auto row = fmt::format(
        "| {} | {} | {} |",
        one.states.empty() ? "none" : fmt::format("`{}`", one.states),
        one.means, remedy_names[static_cast<std::size_t>(one.cure)]);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

} // namespace
} // namespace postrider::store
