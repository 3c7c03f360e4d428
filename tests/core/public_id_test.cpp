#include "core/public_id.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace postrider {
namespace {

uuid made_of(std::uint8_t byte) {
  uuid id;
  id.bytes.fill(byte);
  return id;
}

uuid any_uuid() {
  uuid id;
  id.bytes = *rc::gen::arbitrary<std::array<std::uint8_t, 16>>();
  return id;
}

TEST(PublicId, WritesTheBitsInOrderAsCrockfordBase32) {
  EXPECT_EQ(event_public_id(made_of(0)), "evt_00000000000000000000000000");
  EXPECT_EQ(event_public_id(made_of(0xFF)), "evt_7zzzzzzzzzzzzzzzzzzzzzzzzz");
  uuid one;
  one.bytes[15] = 1;
  EXPECT_EQ(endpoint_public_id(one), "ep_00000000000000000000000001");
  // 1 << 80, 2 << 64, 3: the fields of a delivery beside each other.
  EXPECT_EQ(delivery_public_id({1, 2, 3}), "dlv_00000000010010000000000003");
}

TEST(PublicId, TakesTheSaltFromTheEndOfTheEventId) {
  auto id = parse_uuid("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
  EXPECT_EQ(salt_of(*id), 0x98C4DC0C0C07398Fu);
}

TEST(PublicId, NamesAnAttemptAfterItsDeliveryAndNumber) {
  delivery_ref ref{1, 9, 3};
  EXPECT_EQ(attempt_public_id(ref, 2), "att_00000000010010000000000003");
  EXPECT_NE(attempt_public_id(ref, 0), attempt_public_id(ref, 1));
}

// S3.74: the header that carries it is signed with dots between the parts.
TEST(PublicId, HoldsNoDot) {
  auto text = delivery_public_id({(std::int64_t{1} << 48) - 1, 65535, ~0ull});
  EXPECT_EQ(text.size(), 30u);
  EXPECT_EQ(text.find('.'), std::string::npos);
}

TEST(PublicId, RefusesEveryOtherSpelling) {
  for (auto text : {
           "",
           "evt_",
           "00000000000000000000000000",
           "ep_00000000000000000000000000",
           "EVT_00000000000000000000000000",
           "evt_0000000000000000000000000",
           "evt_000000000000000000000000000",
           "evt_80000000000000000000000000", // bit 129
           "evt_g0000000000000000000000000", // bits 129 and 130
           "evt_0000000000000000000000000A",
           "evt_0000000000000000000000000i",
           "evt_0000000000000000000000000l",
           "evt_0000000000000000000000000o",
           "evt_0000000000000000000000000u",
           "evt_000000000000-0000000000000",
       })
    EXPECT_FALSE(parse_event_id(text)) << text;
}

TEST(PublicId, RefusesADeliveryWithoutARow) {
  EXPECT_FALSE(parse_delivery_id("dlv_00000000000010000000000003"));
  EXPECT_FALSE(parse_delivery_id("evt_00000000010010000000000003"));
}

RC_GTEST_PROP(PublicId, GivesEventsAndEndpointsBack, ()) {
  auto id = any_uuid();
  RC_ASSERT(parse_event_id(event_public_id(id)) == id);
  RC_ASSERT(parse_endpoint_id(endpoint_public_id(id)) == id);
  RC_ASSERT(!parse_endpoint_id(event_public_id(id)));
}

RC_GTEST_PROP(PublicId, SortsLikeTheIdItStandsFor, ()) {
  auto a = any_uuid();
  auto b = any_uuid();
  RC_ASSERT((a < b) == (event_public_id(a) < event_public_id(b)));
}

RC_GTEST_PROP(PublicId, GivesDeliveriesBack,
              (std::uint16_t partition, std::uint64_t salt)) {
  auto id = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 48);
  delivery_ref ref{id, partition, salt};
  RC_ASSERT(parse_delivery_id(delivery_public_id(ref)) == ref);
}

RC_GTEST_PROP(PublicId, GivesAttemptsBack, (std::uint64_t salt)) {
  auto id = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 48);
  auto number = *rc::gen::inRange(0, 0x10000);
  auto ref = parse_attempt_id(attempt_public_id({id, 7, salt}, number));
  RC_ASSERT(ref && ref->delivery == id && ref->number == number
            && ref->salt == salt);
}

RC_GTEST_PROP(PublicId, AcceptsNoTextThatItWouldNotWrite, ()) {
  auto tail = *rc::gen::container<std::string>(
      26,
      rc::gen::elementOf(std::string{"0123456789abcdefghijklmnopqrstuvwxyz"}));
  auto text = "dlv_" + tail;
  if (auto ref = parse_delivery_id(text))
    RC_ASSERT(delivery_public_id(*ref) == text);
}

RC_GTEST_PROP(PublicId, SurvivesMadeUpText, (const std::string& text)) {
  RC_ASSERT(!parse_event_id("evt_" + text) || text.size() == 26);
  RC_ASSERT(!parse_delivery_id("dlv_" + text) || text.size() == 26);
}

} // namespace
} // namespace postrider
