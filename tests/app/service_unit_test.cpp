#include "tests/app/program.hpp"
#include "tests/support/shell.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace postrider::testing {
namespace {

std::string unit() {
  std::ifstream in{POSTRIDER_SOURCE "/deploy/systemd/postrider.service"};
  return {std::istreambuf_iterator<char>{in}, {}};
}

bool there() {
  return shell("systemd-analyze --version").code == 0;
}

TEST(ServiceUnit, IsUnderstoodBySystemd) {
  if (!there())
    GTEST_SKIP() << "no systemd-analyze on this machine";
  const temporary_folder at;
  // The program need not be installed for this.
  const auto text =
      std::regex_replace(unit(), std::regex{"ExecStart=/usr/bin/postrider"},
                         "ExecStart=" POSTRIDER_BINARY);
  const auto name = at.write("postrider.service", text);
  const auto said = shell("systemd-analyze verify " + name);
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(said.output, "");
}

// ECOSYSTEM, unit lines: 1.2 on systemd 252.
TEST(ServiceUnit, IsSealedOff) {
  if (!there())
    GTEST_SKIP() << "no systemd-analyze on this machine";
  const auto said = shell(
      "systemd-analyze security --offline=true --no-pager " POSTRIDER_SOURCE
      "/deploy/systemd/postrider.service");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      said.output, found,
      std::regex{"exposure level for postrider.service: ([0-9.]+)"}))
      << said.output;
  EXPECT_LE(std::stod(found[1]), 1.2);
}

} // namespace
} // namespace postrider::testing
