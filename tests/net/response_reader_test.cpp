#include "net/client/response_reader.hpp"

#include <gtest/gtest.h>

namespace postrider::net::client {
namespace {

const response_limits limits{};

struct reading {
  attempt_result result;
  bool finished = false;
  bool reusable = false;
};

reading read_in_pieces(std::string_view bytes, std::size_t size, bool end) {
  response_reader reader{limits};
  for (std::size_t at = 0; at < bytes.size(); at += size)
    reader.feed(bytes.substr(at, size));
  if (end)
    reader.end_of_stream();
  reading seen;
  seen.finished = reader.finished();
  seen.reusable = reader.reusable();
  reader.move_into(seen.result);
  return seen;
}

reading read(std::string_view bytes, bool end = false) {
  return read_in_pieces(bytes, bytes.size() + 1, end);
}

constexpr auto none = attempt_error::none;
constexpr auto malformed = attempt_error::malformed_response;
constexpr auto reset = attempt_error::connection_reset;

// RELIABILITY 6.3 by its row numbers; D-02, D-03, RESP-01, RESP-02, RESP-04,
// RESP-05, RESP-17.
struct row {
  const char* name;
  std::string bytes;
  bool end;   // the stream ends behind the bytes
  int status; // 0: none
  attempt_error error;
  bool finished; // decided without waiting for more
  bool reusable;
};

const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string ok0 = ok + "Content-Length: 0\r\n\r\n";
const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";

std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

const row rows[]{
    {"1", "HTTP/1.1 204 No Content\r\n\r\n", false, 204, none, true, true},
    {"2", "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok", false, 204,
     none, true, false},
    {"2 chunked",
     "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     false, 204, none, true, false},
    {"205", "HTTP/1.1 205 Reset\r\n\r\n", false, 205, none, true, true},
    {"304", "HTTP/1.1 304 Not Modified\r\n\r\n", false, 304, none, true, true},
    {"3", ok0, false, 200, none, true, true},
    {"4", ok + "Content-Length: 10\r\n\r\nabc", true, 200, none, true, false},
    {"5", ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", false, 200,
     malformed, true, false},
    {"5 overflow",
     ok + "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n", false, 200,
     malformed, true, false},
    {"5 no end", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nokX", false, 200,
     malformed, true, false},
    {"6", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", false, 200,
     none, false, false},
    {"chunked",
     ok + "Transfer-Encoding: CHUNKED\r\n\r\n2;x=y\r\nok\r\n0\r\n\r\n", false,
     200, none, true, true},
    {"trailers",
     ok + "Transfer-Encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\nA: b\r\n\r\n",
     false, 200, none, true, true},
    {"7", ok + "\r\nsome", true, 200, none, true, false},
    {"7 open", ok + "\r\nsome", false, 200, none, false, false},
    {"8",
     ok
         + "Content-Length: 5\r\nTransfer-Encoding: "
           "chunked\r\n\r\n2\r\nok\r\n0\r\n"
           "\r\n",
     false, 200, malformed, true, false},
    {"9", ok + "Content-Length: 2\r\nContent-Length: 9\r\n\r\nok", false, 200,
     malformed, true, false},
    {"9 list", ok + "Content-Length: 2, 2\r\n\r\nok", false, 200, malformed,
     true, false},
    {"9 negative", ok + "Content-Length: -1\r\n\r\n", false, 200, malformed,
     true, false},
    {"9 huge", ok + "Content-Length: 99999999999999999999\r\n\r\n", false, 200,
     malformed, true, false},
    {"10", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", false, 200, none, true,
     true},
    {"10 two spaces", "HTTP/1.1  200 OK\r\n\r\n", false, 0, malformed, true,
     false},
    {"11", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false, 200, none,
     true, false},
    {"11 kept",
     "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n",
     false, 200, none, true, true},
    {"12 version", "HTTP/2.0 200", false, 0, malformed, true, false},
    {"12 long", "HTTP/1.1 2000 OK\r\n", false, 0, malformed, true, false},
    {"12 short", "HTTP/1.1 20 OK\r\n", false, 0, malformed, true, false},
    {"12 words", "HTTP/1.1 abc\r\n", false, 0, malformed, true, false},
    {"12 icy", "ICY 200 OK\r\n", false, 0, malformed, true, false},
    {"12 alert", "\x15\x03\x01\x02\x02\x28", false, 0, malformed, true, false},
    {"12 empty", "", true, 0, reset, true, false},
    {"status 000", "HTTP/1.1 000 X\r\n\r\n", false, 0, malformed, true, false},
    {"status 600", "HTTP/1.1 600 X\r\n\r\n", false, 0, malformed, true, false},
    {"13", interim + ok0, false, 200, none, true, true},
    {"13 hints", "HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" + ok0, false, 200,
     none, true, true},
    {"13 five", repeat(interim, 5) + ok0, false, 200, none, true, true},
    {"13 six", repeat(interim, 6) + ok0, false, 0, malformed, true, false},
    {"13 waiting", interim, false, 0, none, false, false},
    {"13 end", interim, true, 0, reset, true, false},
    {"14",
     "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: "
     "Upgrade\r\n\r\n",
     false, 0, malformed, true, false},
    {"15", "HTTP/1.1 20", true, 0, reset, true, false},
    {"15 silence", "HTTP/1.1 20", false, 0, none, false, false},
    {"15 all but LF", "HTTP/1.1 200 OK\r", true, 0, reset, true, false},
    {"in headers", ok + "A: b\r\nC", true, 200, malformed, true, false},
    {"16", ok + "A: " + std::string(70'000, 'x'), false, 200,
     attempt_error::headers_too_large, true, false},
    {"16 many", ok + repeat("X: aaaaaaaa\r\n", 10'000), false, 200,
     attempt_error::headers_too_large, true, false},
    {"16 status", "HTTP/1.1 200 " + std::string(70'000, 'x'), false, 0,
     attempt_error::headers_too_large, true, false},
    {"17", ok + "content-length:2  \r\nx:  a\r\n \t b\r\n\r\nok", false, 200,
     none, true, true},
    {"18", ok + std::string{"A: b\0c\r\n\r\n", 10}, false, 200, malformed, true,
     false},
    {"18 CR", ok + "A: b\rc\r\n\r\n", false, 200, malformed, true, false},
    {"18 name", ok + "A : b\r\n\r\n", false, 200, malformed, true, false},
    {"18 fold first", ok + " A: b\r\n\r\n", false, 200, malformed, true, false},
    {"18 no colon", ok + "Ab\r\n\r\n", false, 200, malformed, true, false},
    {"18 reason", std::string{"HTTP/1.1 200 O\0K\r\n", 18}, false, 200,
     malformed, true, false},
    {"bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", false, 200, none,
     true, false},
    {"19",
     ok + "Content-Encoding: gzip, gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b",
     false, 200, none, true, true},
    {"20", ok + "Content-Length: 2\r\n\r\nokHTTP/1.1 500 X\r\n\r\n", false, 200,
     none, true, false},
    {"20 chunked",
     ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 500 X\r\n\r\n",
     false, 200, none, true, false},
    {"21", "HTTP/1.1 302 F\r\nLocation: http://x/\r\nContent-Length: 0\r\n\r\n",
     false, 302, none, true, true},
    {"24", "HTTP/1.1 404 N\r\nContent-Length: 2\r\n\r\nno", false, 404, none,
     true, true},
    {"27", ok + "Connection: x, Close\r\nContent-Length: 0\r\n\r\n", false, 200,
     none, true, false},
    {"27 timeout", ok + "Keep-Alive: timeout=0\r\nContent-Length: 0\r\n\r\n",
     false, 200, none, true, false},
    {"other coding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
     true, 200, none, true, false},
};

void expect_row(const row& wanted, const reading& seen) {
  EXPECT_EQ(seen.finished, wanted.finished) << "row " << wanted.name;
  EXPECT_EQ(seen.reusable, wanted.reusable) << "row " << wanted.name;
  EXPECT_EQ(seen.result.status.value_or(0), wanted.status)
      << "row " << wanted.name;
  EXPECT_EQ(seen.result.error, wanted.error) << "row " << wanted.name;
}

TEST(ResponseReader, DecidesEveryOddResponseAsTheTableSays) {
  for (const auto& each : rows)
    expect_row(each, read(each.bytes, each.end));
}

TEST(ResponseReader, DecidesTheSameInHoweverManyPieces) {
  for (const auto& each : rows) {
    expect_row(each, read_in_pieces(each.bytes, 1, each.end));
    expect_row(each, read_in_pieces(each.bytes, 7, each.end));
  }
}

TEST(ResponseReader, DecidesTheSameSplitAtAnyByte) {
  for (const auto& each : rows) {
    if (each.bytes.size() > 1000)
      continue;
    for (std::size_t at = 0; at <= each.bytes.size(); ++at) {
      response_reader reader{limits};
      reader.feed(std::string_view{each.bytes}.substr(0, at));
      reader.feed(std::string_view{each.bytes}.substr(at));
      if (each.end)
        reader.end_of_stream();
      reading seen{{}, reader.finished(), reader.reusable()};
      reader.move_into(seen.result);
      expect_row(each, seen);
    }
  }
}

TEST(ResponseReader, KeepsHeadersAndBodyAsTheyCame) { // HDR-05
  const auto seen =
      read(ok + "content-length: 2\r\nX-A:  one \r\n two\r\n\r\nok");
  EXPECT_EQ(seen.result.body_excerpt, "ok");
  EXPECT_FALSE(seen.result.body_truncated);
  const std::vector<header> wanted{{"content-length", "2"}, {"X-A", "one two"}};
  EXPECT_EQ(seen.result.headers, wanted);
  EXPECT_EQ(read(ok
                 + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n"
                   "0\r\n\r\n")
                .result.body_excerpt,
            "abcde");
}

TEST(ResponseReader, KeepsTheBeginningOfALongBodyAndReadsTheRestForReuse) {
  const auto seen =
      read(ok + "Content-Length: 60000\r\n\r\n" + std::string(60'000, 'x'));
  EXPECT_TRUE(seen.reusable);
  EXPECT_EQ(seen.result.body_excerpt.size(), limits.excerpt);
  EXPECT_TRUE(seen.result.body_truncated);
}

// D-04, RESP-13
TEST(ResponseReader, StopsReadingABodyThatIsTooLong) {
  for (const auto* framing :
       {"Content-Length: 10737418240\r\n\r\n", "\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3fffffff\r\n"}) {
    response_reader reader{limits};
    reader.feed(ok + framing);
    std::size_t fed = 0;
    for (; !reader.finished() && fed < 1'000'000; fed += 1000)
      reader.feed(std::string(1000, 'x'));
    EXPECT_TRUE(reader.finished()) << framing;
    EXPECT_FALSE(reader.reusable()) << framing;
    EXPECT_LE(fed, limits.body + 1000) << framing;
    attempt_result result;
    reader.move_into(result);
    EXPECT_EQ(result.status, 200);
    EXPECT_TRUE(result.body_truncated);
    EXPECT_EQ(result.body_excerpt.size(), limits.excerpt);
  }
}

TEST(ResponseReader, SaysWhenABodyWasCutShort) {
  EXPECT_TRUE(
      read(ok + "Content-Length: 10\r\n\r\nabc", true).result.body_truncated);
  EXPECT_TRUE(
      read(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", true)
          .result.body_truncated);
  EXPECT_FALSE(read(ok + "\r\nall of it", true).result.body_truncated);
  EXPECT_FALSE(read("HTTP/1.1 204 N\r\n\r\n").result.body_truncated);
}

} // namespace
} // namespace postrider::net::client
