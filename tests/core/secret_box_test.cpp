#include "core/secret_box.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace postrider {
namespace {

using namespace std::string_literals;

secret_box box_of(char fill) {
  return secret_box::make(std::string(32, fill)).value();
}

TEST(SecretBox, OpensWithTheSameKeyAndContextOnly) {
  auto sealed = box_of('a').seal("whsec_secret", "ep_1");
  EXPECT_EQ(box_of('a').open(sealed, "ep_1"), "whsec_secret");
  EXPECT_EQ(box_of('b').open(sealed, "ep_1"), std::nullopt);
  EXPECT_EQ(box_of('a').open(sealed, "ep_2"), std::nullopt);
  EXPECT_EQ(box_of('a').open(sealed, ""), std::nullopt);
}

TEST(SecretBox, StartsWithAFormatAndHidesTheText) {
  auto sealed = box_of('a').seal("whsec_secret", "ep_1");
  EXPECT_EQ(sealed.size(), 1u + 4 + 12 + 12 + 16);
  EXPECT_EQ(sealed[0], '\x01');
  EXPECT_EQ(sealed.find("secret"), std::string::npos);
}

TEST(SecretBox, SealsTheSameTextDifferentlyEachTime) {
  auto box = box_of('a');
  auto first = box.seal("whsec_secret", "ep_1");
  auto second = box.seal("whsec_secret", "ep_1");
  EXPECT_EQ(first.substr(0, 5), second.substr(0, 5)); // format and key
  EXPECT_NE(first.substr(5, 12), second.substr(5, 12));
}

TEST(SecretBox, RefusesKeysOfAnotherLength) {
  for (std::size_t size : {0u, 16u, 31u, 33u, 64u})
    EXPECT_FALSE(secret_box::make(std::string(size, 'a'))) << size;
}

TEST(SecretBox, ReadsAKeyFile) {
  auto text = "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="s; // 32 times 'a'
  auto sealed = box_of('a').seal("x", "c");
  for (const auto& content : {text, text + "\n", "  " + text + "\r\n"}) {
    auto box = secret_box::parse(content);
    ASSERT_TRUE(box);
    EXPECT_EQ(box->open(sealed, "c"), "x");
  }
  for (const auto& content :
       {""s, "\n"s, "YWFh"s, text + text, text + "\n" + text, "not base64"s})
    EXPECT_FALSE(secret_box::parse(content)) << content;
}

RC_GTEST_PROP(SecretBox, GivesTheTextBack,
              (const std::string& plain, const std::string& context)) {
  auto box = box_of('a');
  RC_ASSERT(box.open(box.seal(plain, context), context) == plain);
}

RC_GTEST_PROP(SecretBox, NoticesEveryFlippedBit, (const std::string& plain)) {
  auto box = box_of('a');
  auto sealed = box.seal(plain, "ep_1");
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    auto changed = sealed;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    RC_ASSERT(!box.open(changed, "ep_1"));
  }
}

RC_GTEST_PROP(SecretBox, NoticesEveryCut, (const std::string& plain)) {
  auto box = box_of('a');
  auto sealed = box.seal(plain, "ep_1");
  for (std::size_t size = 0; size < sealed.size(); ++size)
    RC_ASSERT(!box.open(sealed.substr(0, size), "ep_1"));
}

RC_GTEST_PROP(SecretBox, SurvivesMadeUpBytes, (const std::string& bytes)) {
  RC_ASSERT(!box_of('a').open(bytes, ""));
  secret_box::parse(bytes);
}

} // namespace
} // namespace postrider
