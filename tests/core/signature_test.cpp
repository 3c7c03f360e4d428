#include "core/signature.hpp"

#include "core/base64.hpp"
#include "core/hmac.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_seconds;

constexpr sys_seconds at{1767225600s};
constexpr std::string_view secret =
    "whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=";
constexpr std::string_view older =
    "whsec_ZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5/gIGCg4Q=";
constexpr std::string_view body = R"({"id":9007199254740993})";

signing_key key_of(std::string_view text) {
  return signing_key::parse(text).value();
}

signing_key any_key() {
  auto size = *rc::gen::inRange<std::size_t>(24, 65);
  return signing_key::from_bytes(
             *rc::gen::container<std::string>(size, rc::gen::arbitrary<char>()))
      .value();
}

std::string hmac_hex(std::string_view key, std::string_view text) {
  auto digest = hmac_sha256(key, "", text);
  return encode_hex({digest.data(), digest.size()});
}

// RFC 4231, cases 1, 2 and 6.
TEST(Hmac, MatchesTheVectorsOfTheRfc) {
  EXPECT_EQ(hmac_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_hex(std::string(131, '\xaa'),
                     "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// More secrets than there are kept contexts, in turns and from two threads.
TEST(Hmac, KeepsSecretsApart) {
  auto work = [] {
    std::vector<std::string> first;
    for (int round = 0; round < 2; ++round)
      for (std::size_t i = 0; i < 2000; ++i) {
        auto mac = hmac_hex(sha256(std::to_string(i)), "text");
        if (round == 0)
          first.push_back(mac);
        EXPECT_EQ(mac, first[i]);
      }
    EXPECT_EQ(
        first[0],
        "6dfd21cf1ac6ed7ee4eb5988d4473160d7477eb93b81641f6917b88dbba5d341");
  };
  std::thread other{work};
  work();
  other.join();
}

// SIG-01
TEST(Signature, SignsWithTheDecodedKey) {
  EXPECT_EQ(key_of(secret).sign("msg_0001", at, body),
            "v1,PFKJElQVVu+gyRgYewGs/Hq5dVbehNK5GDsc3tm7AaU=");
}

// JSON-14
TEST(Signature, CoversEveryByteOfTheBody) {
  EXPECT_EQ(key_of(secret).sign("msg_0001", at, "{\"a\": 1}\r\n"),
            "v1,ruKqlFGj2lvZC1gOgKfbtV57wCpiqkxj/JWraq+4zOM=");
}

// SIG-02
TEST(Signature, RefusesKeysThatAreTooShortOrTooLong) {
  for (auto text : {"whsec_", "whsec_!!!!", "whsec_AA==", "",
                    "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
                    "WHSEC_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
                    "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})
    EXPECT_FALSE(signing_key::parse(text)) << text;
  EXPECT_FALSE(signing_key::from_bytes(std::string(23, 'k')));
  EXPECT_TRUE(signing_key::from_bytes(std::string(24, 'k')));
  EXPECT_TRUE(signing_key::from_bytes(std::string(64, 'k')));
  EXPECT_FALSE(signing_key::from_bytes(std::string(65, 'k')));
}

// SIG-02
TEST(Signature, ReadsTheSameKeyWithAndWithoutPadding) {
  auto padded = key_of("whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGQ==");
  auto bare = key_of("whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGQ");
  EXPECT_EQ(padded.bytes(), bare.bytes());
  EXPECT_EQ(bare.text(), "whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGQ==");
  for (const auto& key : {padded, bare})
    EXPECT_EQ(key.sign("msg_0001", at, R"({"a":1})"),
              "v1,z5j4X398O2iogvO72FtoAnmP4SvE8bYSvuuzeijqeuM=");
}

// SIG-05, SIG-04
TEST(Signature, SignsWithEveryLiveSecretNewestFirst) {
  std::vector<signing_key> keys{key_of(older), key_of(secret)};
  auto value = sign_all(keys, "msg_0001", at, body);
  EXPECT_EQ(value, "v1,3kYyVdfdgMss8+shEwqxMmALKbrTC5x51Kq0bnq0Efs= "
                   "v1,PFKJElQVVu+gyRgYewGs/Hq5dVbehNK5GDsc3tm7AaU=");
  for (const auto& key : keys)
    EXPECT_TRUE(
        verify_signature(key, "msg_0001", "1767225600", value, body, at, 0s));
  EXPECT_EQ(sign_all({}, "msg_0001", at, body), "");
}

// SIG-04: two rotations in a row, each with a day of grace.
TEST(Signature, LeavesOutASecretFromItsExpiryOn) {
  const auto from = at;
  const auto a = key_of(older);
  auto expiring_a = a;
  expiring_a.expire(from + 86'400s);
  const auto b = key_of(secret);
  auto expiring_b = b;
  expiring_b.expire(from + 3'600s + 86'400s);
  const auto c = *signing_key::from_bytes(std::string(32, 'c'));
  const std::vector<signing_key> keys{c, expiring_b, expiring_a};
  const auto by = [](std::vector<signing_key> those, sys_seconds when) {
    std::string value;
    for (const auto& each : those)
      value += (value.empty() ? "" : " ") + each.sign("m", when, body);
    return value;
  };
  for (const auto& [passed, signers] :
       std::vector<std::pair<std::chrono::seconds, std::vector<signing_key>>>{
           {3'600s, {c, b, a}},
           {86'399s, {c, b, a}},
           {86'400s, {c, b}},
           {86'401s, {c, b}},
           {90'001s, {c}}})
    EXPECT_EQ(sign_all(keys, "m", from + passed, body),
              by(signers, from + passed))
        << passed.count();
}

TEST(Signature, AcceptsOnlyTheRightSchemeIdTimeAndBody) {
  auto key = key_of(secret);
  auto value = key.sign("msg_0001", at, body);
  auto fits = [&](std::string_view id, std::string_view time,
                  std::string_view signature, std::string_view text) {
    return verify_signature(key, id, time, signature, text, at, 300s);
  };
  EXPECT_TRUE(fits("msg_0001", "1767225600", value, body));
  EXPECT_TRUE(fits("msg_0001", "1767225600", "v2,x  v1a,y " + value, body));
  EXPECT_FALSE(fits("msg_0002", "1767225600", value, body));
  EXPECT_FALSE(fits("msg_0001", "1767225601", value, body));
  EXPECT_FALSE(fits("msg_0001", "1767225600", value, "{}"));
  EXPECT_FALSE(fits("msg_0001", "1767225600", "v2" + value.substr(2), body));
  EXPECT_FALSE(fits("msg_0001", "1767225600", value + "x", body));
  EXPECT_FALSE(fits("msg_0001", "1767225600", "v1,", body));
  EXPECT_FALSE(fits("msg_0001", "1767225600", "", body));
}

// TIME-03
TEST(Signature, AcceptsATimestampWithinTheToleranceOnEitherSide) {
  auto key = key_of(secret);
  auto value = key.sign("m", at, body);
  auto fits = [&](std::string_view time, sys_seconds now) {
    return verify_signature(key, "m", time, value, body, now, 300s);
  };
  EXPECT_TRUE(fits("1767225600", at + 300s));
  EXPECT_TRUE(fits("1767225600", at - 300s));
  EXPECT_FALSE(fits("1767225600", at + 301s));
  EXPECT_FALSE(fits("1767225600", at - 301s));
  for (auto time : {"", "now", "-1767225600", "1767225600 ", "1767225600.0",
                    "99999999999999999999", "9223372036854775807"})
    EXPECT_FALSE(fits(time, at)) << time;
}

TEST(Signature, ComparesWholeTexts) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

TEST(Digest, MatchesTheKnownVector) {
  EXPECT_EQ(encode_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(RandomBytes, AreAsManyAsAskedAndNotTheSame) {
  EXPECT_EQ(random_bytes(0), "");
  EXPECT_EQ(random_bytes(32).size(), 32u);
  EXPECT_NE(random_bytes(32), random_bytes(32));
}

RC_GTEST_PROP(Signature, IsVerifiedByItsOwnKeyOnly,
              (const std::string& id, const std::string& text)) {
  auto key = any_key();
  // As long: HMAC takes a key and the same key with zeros after it for one.
  auto bytes = *rc::gen::container<std::string>(key.bytes().size(),
                                                rc::gen::arbitrary<char>());
  RC_PRE(key.bytes() != bytes);
  auto other = signing_key::from_bytes(bytes).value();
  auto seconds = *rc::gen::inRange<std::int64_t>(0, 4'000'000'000);
  sys_seconds time{std::chrono::seconds{seconds}};
  auto stamp = std::to_string(seconds);
  auto value = key.sign(id, time, text);
  RC_ASSERT(verify_signature(key, id, stamp, value, text, time, 0s));
  RC_ASSERT(!verify_signature(other, id, stamp, value, text, time, 0s));
}

RC_GTEST_PROP(Signature, KeepsTheTextOfAKey, ()) {
  auto key = any_key();
  RC_ASSERT(key_of(key.text()).bytes() == key.bytes());
}

RC_GTEST_PROP(Signature, RefusesMadeUpSignatures,
              (const std::string& time, const std::string& value)) {
  RC_ASSERT(!verify_signature(key_of(secret), "m", time, "v1," + value, body,
                              at, 300s));
}

} // namespace
} // namespace postrider
