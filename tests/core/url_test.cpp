#include "core/url.hpp"

#include "core/address.hpp"

#include <gtest/gtest.h>

#include <string>

namespace postrider {
namespace {

std::string fault_of(std::string_view text) {
  const auto result = parse_url(text);
  const auto* fault = std::get_if<url_fault>(&result);
  return fault ? fault->what : "";
}

url parsed(std::string_view text) {
  const auto result = parse_url(text);
  EXPECT_TRUE(std::holds_alternative<url>(result))
      << text << ": " << fault_of(text);
  return std::holds_alternative<url>(result) ? std::get<url>(result) : url{};
}

TEST(Url, TakesTheTargetExactlyAsWritten) {
  // URL-05, ING-09
  EXPECT_EQ(
      parsed("https://hook.example.com/a%3Ab/%E2%82%AC?x=%2F&y=a+b").target,
      "/a%3Ab/%E2%82%AC?x=%2F&y=a+b");
  EXPECT_EQ(parsed("https://hook.example.com").target, "/");
  EXPECT_EQ(parsed("https://hook.example.com?x=1").target, "/?x=1");
  EXPECT_EQ(parsed("https://hook.example.com/a?").target, "/a?");
  EXPECT_EQ(parsed("https://hook.example.com//a/../b/./").target,
            "//a/../b/./");
  EXPECT_EQ(parsed("http://h.example/a@b:c?d=/?e").target, "/a@b:c?d=/?e");
}

TEST(Url, FillsInThePortAndNormalisesTheHost) {
  EXPECT_EQ(parsed("HTTP://EXAMPLE.COM/"),
            (url{false, "example.com", false, 80, "/"}));
  EXPECT_EQ(parsed("https://Example.com.:8443/"), // URL-02
            (url{true, "example.com", false, 8443, "/"}));
  EXPECT_EQ(parsed("https://my_hook.example.com/in").host, // URL-03
            "my_hook.example.com");
  EXPECT_EQ(parsed("http://1.2.3.4/"), (url{false, "1.2.3.4", true, 80, "/"}));
  EXPECT_EQ(parsed("http://[2606:4700:0:0::1]:81/"),
            (url{false, "2606:4700::1", true, 81, "/"}));
}

TEST(Url, WritesTheAuthorityForTheHostHeader) {
  EXPECT_EQ(parsed("http://a.example:80/").authority(), "a.example");
  EXPECT_EQ(parsed("https://a.example:443/").authority(), "a.example");
  EXPECT_EQ(parsed("https://a.example:80/").authority(), "a.example:80");
  EXPECT_EQ(parsed("http://[2606::1]:81/").authority(), "[2606::1]:81");
  EXPECT_EQ(parsed("http://[2606::1]/").authority(), "[2606::1]");
}

TEST(Url, ConvertsInternationalisedNames) {
  EXPECT_EQ(parsed("https://b\xc3\xbc"
                   "cher.example/x?y")
                .host,
            "xn--bcher-kva.example");
  EXPECT_EQ(parsed("https://B\xc3\xbc"
                   "CHER.Example:444")
                .port,
            444);
  EXPECT_EQ(parsed("https://xn--bcher-kva.example/").host,
            "xn--bcher-kva.example");
  EXPECT_NE(fault_of("https://example.com/\xc3\xbc"), "");
  EXPECT_NE(fault_of("https://b\xc3\xbc.example/\xc3\xbc"), "");
  EXPECT_NE(fault_of("https://b\xc3.example/"), "");
}

TEST(Url, SaysWhatIsWrong) {
  EXPECT_NE(fault_of("ftp://example.com/").find("http or https"),
            std::string::npos);
  EXPECT_NE(fault_of("https://user:pw@hook.example.com/in").find("password"),
            std::string::npos);
  EXPECT_NE(fault_of("https://hook.example.com/#frag").find("fragment"),
            std::string::npos);
  EXPECT_NE(fault_of("http://example.com:65536/").find("1 to 65535"),
            std::string::npos);
  EXPECT_NE(fault_of("http://2130706433/").find("IPv4"), std::string::npos);
  EXPECT_NE(fault_of("http://a b/").find("space"), std::string::npos);
  // No secret of the URL is repeated to whoever reads the message (SIG-10).
  EXPECT_EQ(fault_of("https://u:s3cret@a.example/").find("s3cret"),
            std::string::npos);
}

TEST(Url, KnowsNamesThatThePublicDnsDoesNotHave) { // vector 6.1.8, ING-09
  for (const auto* text :
       {"http://localhost/", "http://LOCALHOST./", "http://a.localhost/",
        "http://localhost.localdomain/", "http://ip6-localhost/",
        "https://intranet/hook"})
    EXPECT_TRUE(parsed(text).local_name()) << text;
  EXPECT_FALSE(parsed("http://example.com/").local_name());
  EXPECT_FALSE(parsed("http://[::1]/").local_name());
}

// URL-08, RELIABILITY 6.1, vectors 1 to 14: refused by the parser.
TEST(Url, RefusesWhatTwoReadersCouldTakeDifferently) {
  const std::string_view vectors[]{
      "http://127.1/",
      "http://127.0.1/",
      "http://0/", // 1, 2, 3: odd IPv4
      "http://2130706433/",
      "http://0x7f000001/",
      "http://0x7f.0.0.1/",
      "http://0x7f.1/",
      "http://0177.0.0.1/",
      "http://00000177.0.0.1/",
      "http://127.0.0.01/",
      "http://4294967297/",
      "http://256.0.0.1/",
      "http://1.2.3.4.5/",
      "http://1.2.3/",
      "http://127.0.0.1./",
      "http://127.0.0.1.",
      "http://0x/",
      "http://a.0x1f/",
      "http://[fe80::1%25lo]/",
      "http://[fe80::1%lo]/", // 6, 7: brackets
      "http://[fe80::1%25eth0]/",
      "http://[127.0.0.1]/",
      "http://[example.com]/",
      "http://[::1/",
      "http://::1/",
      "http://[::1]x/",
      "http://[::1]:/",
      "http://[v1.x]/",
      "http://example.com@127.0.0.1/",
      "http://example.com:80@127.0.0.1/", // 9
      "http://127.0.0.1#@example.com/",
      "http://example.com%40127.0.0.1/",
      "http://@example.com/",
      "http://example.com\\@127.0.0.1/",
      "http:\\\\127.0.0.1\\", // 10
      "http:/127.0.0.1/",
      "http:127.0.0.1/",
      "http:///127.0.0.1/",
      "//127.0.0.1/",
      "http://127\xe3\x80\x82"
      "0\xe3\x80\x82"
      "0\xe3\x80\x82"
      "1/", // 11
      "http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/",
      "http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1/",
      "http://lo%63alhost/",
      "http://%31%32%37.0.0.1/",
      "http://exam\xc2\xadple.com/",
      "http://exam\xe2\x80\x8bple.com/",
      "http://b\xc3\xbc\xc2\xad.example/",
      "http://127.0.0.1%00.example.com/",
      "http://127.0.0.1%0a.example.com/", // 12
      "http://exa\tmple.com/",
      "http://exa\rmple.com/",
      "http://exa\nmple.com/",
      "http://exa mple.com/",
      " http://example.com/",
      "http://example.com/ ",
      "http://example.com:0/",
      "http://example.com:65536/", // 13
      "http://example.com:-1/",
      "http://example.com:80a/",
      "http://example.com:/",
      "http://example.com:022/",
      "http://example.com:99999999999999999999/",
      "file:///x",
      "gopher://127.0.0.1:6379/_x",
      "ftp://example.com/", // 14
      "ws://example.com/",
      "unix:/x",
      "data:,x",
      "javascript:x",
      "://example.com/",
      "",
      "example.com",
      "http://",
      "http://..",
      "http://a..b/",
      "http://a.b../",
      "http://.a/",
      "http://-a.example/",
      "http://a,b.example/",
      "https://hook.example.com/100%/x",
      "https://hook.example.com/%zz", // URL-05
      "amqp://u:p@169.254.169.254/",
      "http://h.example/a#",
      "http://h.example/\"",
      std::string_view{"http://a\0b.example/", 19}};
  for (const auto text : vectors)
    EXPECT_NE(fault_of(text), "") << text;
}

// RELIABILITY 6.1, vectors 1 to 9: well-formed, refused by the guard.
TEST(Url, LeavesWellFormedLiteralsToTheGuard) {
  const address_guard guard;
  for (const auto* text :
       {"http://127.0.0.1/", "http://0.0.0.0/", "http://[::1]/", "http://[::]/",
        "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/",
        "http://[::ffff:0:7f00:1]/", "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b:1::a9fe:a9fe]/", "http://[2002:7f00:1::1]/",
        "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", "http://[fe80::1]/",
        "http://[fd00:ec2::254]/", "http://127.0.0.1?@example.com/",
        "http://[0:0:0:0:0:ffff:a9fe:a9fe]/", "http://[::169.254.169.254]/"}) {
    const auto target = parsed(text);
    ASSERT_TRUE(target.literal) << text;
    EXPECT_TRUE(guard.refuse(parse_ip(target.host).value())) << text;
  }
}

TEST(Url, BoundsItsLength) { // vector 6.1.17
  const std::string label(63, 'a');
  const auto host = label + '.' + label + '.' + label + '.';
  EXPECT_EQ(fault_of("http://" + host + std::string(61, 'b') + "/"), "");
  EXPECT_NE(fault_of("http://" + host + std::string(62, 'b') + "/"), "");
  EXPECT_NE(fault_of("http://" + label + "a.example/"), "");
  const std::string base = "http://example.com/";
  EXPECT_EQ(fault_of(base + std::string(2048 - base.size(), 'x')), "");
  EXPECT_NE(fault_of(base + std::string(2049 - base.size(), 'x')), "");
  EXPECT_NE(fault_of(base + std::string(65'537, 'x')), "");
}

} // namespace
} // namespace postrider
