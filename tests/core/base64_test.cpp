#include "core/base64.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace postrider {
namespace {

using namespace std::string_literals;

// RFC 4648, section 10.
TEST(Base64, MatchesTheVectorsOfTheRfc) {
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encode_base64("\xFB\xFF\xBF"), "+/+/");
}

TEST(Base64, ReadsTextWithAndWithoutPadding) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zg"), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm8"), "fo");
}

TEST(Base64, RefusesEverythingElse) {
  for (const auto& text :
       {"="s, "=="s, "Z"s, "Z==="s, "Zg="s, "Zg==="s, "Zm9v="s, "Zm9v=="s,
        "Zm9v===="s, "Zh=="s, "Zm9="s, "Zm9vZ"s, "Zm=v"s, "Zm9v\n"s, " Zm9v"s,
        "Zm-_"s, "!!!!"s, "Zm9\0"s, "Zm9\xFF"s})
    EXPECT_FALSE(decode_base64(text)) << text;
}

TEST(Base64, WritesHexInLowerCase) {
  EXPECT_EQ(encode_hex(""), "");
  EXPECT_EQ(encode_hex("\x00\x0F\xA0\xFF"s), "000fa0ff");
}

RC_GTEST_PROP(Base64, GivesTheBytesBack, (const std::string& bytes)) {
  auto text = encode_base64(bytes);
  RC_ASSERT(decode_base64(text) == bytes);
  RC_ASSERT(decode_base64(text.substr(0, text.find('='))) == bytes);
}

RC_GTEST_PROP(Base64, HasOneSpellingForEachKey, ()) {
  auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string{"ABCQZaz019+/="}));
  if (auto bytes = decode_base64(text)) {
    auto padded = encode_base64(*bytes);
    RC_ASSERT(text == padded || text == padded.substr(0, padded.find('=')));
  }
}

RC_GTEST_PROP(Base64, WritesTwoHexDigitsForEachByte,
              (const std::string& bytes)) {
  auto text = encode_hex(bytes);
  RC_ASSERT(text.size() == bytes.size() * 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    RC_ASSERT(std::stoi(text.substr(i * 2, 2), nullptr, 16)
              == static_cast<unsigned char>(bytes[i]));
}

} // namespace
} // namespace postrider
