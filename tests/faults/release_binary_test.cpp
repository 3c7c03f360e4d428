#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace postrider::testing {
namespace {

std::string bytes_of(const char* program) {
  std::ifstream in{program, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

bool holds(const std::string& program, const char* text) {
  return program.find(text) != std::string::npos;
}

// L-15: what hurts the engine on purpose is not in the product.
TEST(ReleaseBinary, HoldsNoFailpoint) {
  const auto product = bytes_of(POSTRIDER_PRODUCT);
  const auto hurt = bytes_of(POSTRIDER_HURT);
  ASSERT_TRUE(holds(product, "the database is ready"));
  for (const auto* trace :
       {"failpoint", "POSTRIDER_FAILPOINTS", "defect.", "client.half_sent",
        "settle.committed", "server.wrote_", "pg.sent."}) {
    EXPECT_FALSE(holds(product, trace)) << trace;
    EXPECT_TRUE(holds(hurt, trace)) << trace;
  }
}

} // namespace
} // namespace postrider::testing
