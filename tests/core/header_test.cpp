#include "core/header.hpp"

#include "core/header_names.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace postrider {
namespace {

using namespace std::string_literals;

// HDR-01
TEST(Header, RefusesWhatCouldSplitARequest) {
  for (const auto& bad : {
           header{"X-A", "a\r\nX-Injected: 1"},
           header{"X-B", "a\nb"},
           header{"X-B", "a\rb"},
           header{"X-C\r\nY", "1"},
           header{"X-D", "a\0b"s},
           header{"X-\0D"s, "1"},
           header{"", "x"},
           header{"X E", "1"},
           header{"X-F:", "1"},
           header{"X-G", "\x7f"},
       })
    EXPECT_TRUE(refuse_header(bad)) << bad.name;
}

// HDR-02
TEST(Header, RefusesNonAscii) {
  EXPECT_TRUE(refuse_header({"X-Name", "Mari\xC4\x87"}));
  EXPECT_TRUE(refuse_header({"X-Name", "caf\xC3\xA9"}));
  EXPECT_TRUE(refuse_header({"X-N\xC3\xA4me", "a"}));
}

// DESIGN 7
TEST(Header, RefusesNamesThatAreOursInAnyCase) {
  for (auto name :
       {"Host", "CONTENT-LENGTH", "content-type", "Connection",
        "Transfer-Encoding", "TraceParent", "User-Agent", "Webhook-Id",
        "webhook-signature", "webhook-anything", "x-postrider-event-id", "TE",
        "Upgrade", "Expect", "Keep-Alive"})
    EXPECT_TRUE(refuse_header({name, "1"})) << name;
}

TEST(Header, RefusesThePrefixThatIsConfigured) {
  EXPECT_TRUE(refuse_header({"x-shopware-sequence", "1"}, "X-Shopware-"));
  EXPECT_FALSE(refuse_header({"x-postrider-sequence", "1"}, "X-Shopware-"));
  EXPECT_FALSE(refuse_header({"Authorization", "Bearer 1"}, ""));
}

// HDR-04
TEST(Header, KnowsByItsNameWhatCarriesASecret) {
  for (auto name : {"authorization", "AUTHORIZATION", "Proxy-Authorization",
                    "X-Api-Key", "x-api-KEY", "Cookie", "X-Auth-Token",
                    "X-Shop-Secret", "Private-Token", "X-Session-Id"})
    EXPECT_TRUE(is_secret_header(name)) << name;
  for (auto name : {"X-Env", "Accept", "X-Order", "X-Tenant", ""})
    EXPECT_FALSE(is_secret_header(name)) << name;
}

TEST(Header, KnowsAPrefixInAnyCase) {
  EXPECT_TRUE(has_header_prefix("x-shopware-Sequence", "X-Shopware-"));
  EXPECT_TRUE(has_header_prefix("X-Shopware-", "X-Shopware-"));
  EXPECT_FALSE(has_header_prefix("X-Shopware", "X-Shopware-"));
  EXPECT_FALSE(has_header_prefix("X-Shopware-Sequence", ""));
}

TEST(Header, LetsOrdinaryFieldsPass) {
  for (const auto& good : {
           header{"Authorization", "Bearer abc=="},
           header{"X-Empty", ""},
           header{"X-Tab", "a\tb c~"},
           header{"!#$%&'*+-.^_`|~09azAZ", "1"},
           header{"Webhook", "1"},
           header{"Hostess", "1"},
       })
    EXPECT_FALSE(refuse_header(good)) << good.name;
}

TEST(Header, IsBounded) {
  EXPECT_FALSE(refuse_header({std::string(128, 'n'), std::string(4096, 'v')}));
  EXPECT_TRUE(refuse_header({std::string(129, 'n'), "v"}));
  EXPECT_TRUE(refuse_header({"n", std::string(4097, 'v')}));
}

TEST(Header, SaysWhatIsWrongWithoutRepeatingTheValue) {
  auto fault = refuse_header({"Authorization", "Bearer s3cret\n"});
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->find("Authorization"), std::string::npos) << *fault;
  EXPECT_EQ(fault->find("s3cret"), std::string::npos) << *fault;
}

// HDR-04
TEST(Header, ComparesNamesWithoutRegardToAsciiCase) {
  EXPECT_TRUE(same_header_name("Retry-After", "rETRY-aFTER"));
  EXPECT_FALSE(same_header_name("Retry-After", "Retry-Afte"));
  EXPECT_FALSE(same_header_name("a[b", "a{b")); // differ by bit 5, no letters
}

RC_GTEST_PROP(Header, NeverPassesAControlByte,
              (const std::string& name, const std::string& value)) {
  if (refuse_header({name, value}))
    return;
  for (char c : name + value)
    RC_ASSERT((c >= ' ' && c < '\x7f') || c == '\t');
}

} // namespace
} // namespace postrider
