#include "core/uuid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace postrider {
namespace {

using millis = std::chrono::sys_time<std::chrono::milliseconds>;

millis at(std::int64_t count) {
  return millis{std::chrono::milliseconds{count}};
}

// RFC 9562, appendix A.6.
constexpr std::array<std::uint8_t, 10> rfc_random{0x0C, 0xC3, 0x18, 0xC4, 0xDC,
                                                  0x0C, 0x0C, 0x07, 0x39, 0x8F};

TEST(Uuid, MatchesTheExampleOfTheRfc) {
  auto id = make_uuid_v7(at(0x017F22E279B0), rfc_random);
  EXPECT_EQ(to_string(id), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(Uuid, ReadsDigitsOfEitherCase) {
  auto id = parse_uuid("017F22E2-79b0-7CC3-98c4-DC0C0C07398F");
  ASSERT_TRUE(id);
  EXPECT_EQ(to_string(*id), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(Uuid, RefusesEveryOtherForm) {
  for (auto text : {
           "",
           "017f22e279b07cc398c4dc0c0c07398f",
           "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
           "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
           "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
           "017f22e279b0--7cc3-98c4-dc0c0c07398f",
           "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
           " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
           "017f22e2-79b0-7cc3-98c4_dc0c0c07398f",
       })
    EXPECT_FALSE(parse_uuid(text)) << text;
}

RC_GTEST_PROP(Uuid, KeepsItsTextForm, ()) {
  uuid id;
  id.bytes = *rc::gen::arbitrary<std::array<std::uint8_t, 16>>();
  RC_ASSERT(parse_uuid(to_string(id)) == id);
}

RC_GTEST_PROP(Uuid, SortsByTimeAndCarriesVersionAndVariant, ()) {
  auto random = *rc::gen::arbitrary<std::array<std::uint8_t, 10>>();
  auto other = *rc::gen::arbitrary<std::array<std::uint8_t, 10>>();
  auto early = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 47);
  auto late = early + *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  auto first = make_uuid_v7(at(early), random);
  auto second = make_uuid_v7(at(late), other);
  RC_ASSERT(first < second);
  RC_ASSERT(time_of(first) == at(early));
  RC_ASSERT(first.bytes[6] >> 4 == 7);
  RC_ASSERT(first.bytes[8] >> 6 == 2);
}

RC_GTEST_PROP(Uuid, SurvivesMadeUpText, (const std::string& text)) {
  if (auto id = parse_uuid(text))
    RC_ASSERT(to_string(*id).size() == text.size());
}

} // namespace
} // namespace postrider
