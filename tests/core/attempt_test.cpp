#include "core/attempt.hpp"

#include <gtest/gtest.h>

#include <set>

namespace postrider {
namespace {

TEST(Attempt, NamesEachErrorOnce) {
  std::set<std::string_view> names;
  auto last = static_cast<int>(attempt_error::internal);
  for (int i = 0; i <= last; ++i)
    names.insert(to_string(static_cast<attempt_error>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_EQ(to_string(attempt_error::none), "");
  EXPECT_EQ(to_string(attempt_error::dns_failure), "dns_failure");
  EXPECT_EQ(to_string(attempt_error::timeout_response), "timeout_response");
}

// HDR-05
TEST(Attempt, FindsAResponseHeaderInAnyCase) {
  std::vector<header> headers{
      {"x", "0"}, {"RETRY-after", "1"}, {"retry-after", "2"}};
  EXPECT_EQ(find_header(headers, "Retry-After"), "1");
  EXPECT_EQ(find_header(headers, "retry"), std::nullopt);
}

} // namespace
} // namespace postrider
